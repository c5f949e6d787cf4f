/** What the rules, as they are edited, say about one number now. */
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { request } from "../../data/Api.ts"
import type { PolicyPreview } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Form, TextField } from "../../ui/Form.tsx"
import { Decision, RuleTable } from "../../ui/Rules.tsx"
import type { Document } from "./PolicyDraft.ts"

export interface NumberPreviewProps {
  readonly document: Document
  /** Whose rules hold; those of the account when not given. */
  readonly agent: string | undefined
}

export const NumberPreview = ({ agent, document }: NumberPreviewProps) => {
  const account = useAccountId()
  const { hours: texts } = useTexts()
  const [number, setNumber] = useState("")
  const [zone, setZone] = useState("")
  const preview = useMutation({
    mutationFn: () =>
      request<PolicyPreview>(accountPath(account, "policy/preview"), {
        method: "POST",
        body: {
          policy: document,
          phone_number: number,
          ...(agent !== undefined && { agent_id: agent }),
          ...(zone.trim() !== "" && { time_zone: zone.trim() })
        }
      })
  })
  const explanation = preview.data?.explanation
  return (
    <Card title={texts.preview.title}>
      <p className="muted">{texts.preview.help}</p>
      <Form
        onSubmit={() => preview.mutate()}
        error={preview.error}
        fields={["phone_number", "time_zone"]}
        actions={
          <Button type="submit" isPending={preview.isPending} isDisabled={number.trim() === ""}>
            {texts.preview.check}
          </Button>
        }
      >
        <div className="two-columns">
          <TextField name="phone_number" label={texts.preview.number} value={number} onChange={setNumber} />
          <TextField
            name="time_zone"
            label={texts.preview.zone}
            placeholder="Europe/Paris"
            value={zone}
            onChange={setZone}
          />
        </div>
      </Form>
      {explanation !== undefined && (
        <>
          <Decision explanation={explanation} />
          <RuleTable rules={explanation.rules} />
        </>
      )}
    </Card>
  )
}
