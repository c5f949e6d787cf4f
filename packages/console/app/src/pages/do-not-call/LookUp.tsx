/** Whether a number is on the list. The server reads it as in a request for a call, so that any way of writing it finds the entry. */
import { useState } from "react"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { request } from "../../data/Api.ts"
import { ApiError } from "../../data/ApiError.ts"
import type { DoNotCallEntry } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Form, TextField } from "../../ui/Form.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { PhoneNumber } from "../../ui/PhoneNumber.tsx"
import { Time } from "../../ui/Time.tsx"
import { useMutation } from "@tanstack/react-query"

export const LookUp = () => {
  const account = useAccountId()
  const { common, doNotCall } = useTexts()
  const [number, setNumber] = useState("")
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: (asked: string) =>
      request<DoNotCallEntry>(accountPath(account, `v1/do_not_call/${encodeURIComponent(asked)}`)).then(
        (entry) => ({ asked, entry }),
        (error: unknown) => {
          if (error instanceof ApiError && error.status === 404) return { asked, entry: undefined }
          throw error
        }
      )
  })
  const search = () => {
    if (number.trim() !== "") mutate(number.trim())
  }
  return (
    <div className="stack tight look-up">
      <Form
        onSubmit={search}
        error={error}
        fields={["phone_number"]}
        actions={<Button type="submit" isPending={isPending}>{common.search}</Button>}
      >
        <TextField
          label={doNotCall.lookUp}
          name="phone_number"
          type="tel"
          value={number}
          onChange={setNumber}
          placeholder="+14155550100"
        />
      </Form>
      {data !== undefined && (data.entry === undefined
        ? (
          <Notice tone="info">
            <Foreign text={doNotCall.notFound(data.asked)} />
          </Notice>
        )
        : (
          <Notice tone="warn">
            <PhoneNumber number={data.entry.phone_number} /> {doNotCall.found} <Time at={data.entry.created_at} />
          </Notice>
        ))}
    </div>
  )
}
