/** Starts one call. Before that, every rule says whether the phone would ring now. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { useNavigate } from "react-router"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { newIdempotencyKey, request } from "../../data/Api.ts"
import { ApiError } from "../../data/ApiError.ts"
import type { Agent, Call, Explanation } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActions } from "../../ui/Dialog.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Checkbox, Form, TextField } from "../../ui/Form.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Decision, RuleTable } from "../../ui/Rules.tsx"
import { Select } from "../../ui/Select.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { useAgents } from "./AgentNames.ts"

export const StartCall = ({ onClose }: { readonly onClose: () => void }) => {
  const { calls: { start } } = useTexts()
  const agents = useAgents()
  return (
    <Dialog title={start.title} isOpen onClose={onClose} isWide>
      <Loaded query={agents}>
        {({ data }) => {
          const [first] = data
          return first === undefined
            ? <Notice tone="warn" title={start.noAgent}>{start.noAgentHelp}</Notice>
            : <StartForm agents={data} first={first} onClose={onClose} />
        }}
      </Loaded>
    </Dialog>
  )
}

interface StartFormProps {
  readonly agents: ReadonlyArray<Agent>
  readonly first: Agent
  readonly onClose: () => void
}

const StartForm = ({ agents, first, onClose }: StartFormProps) => {
  const { calls, common } = useTexts()
  const account = useAccountId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [agentId, setAgentId] = useState(first.id)
  const [phoneNumber, setPhoneNumber] = useState("")
  const [name, setName] = useState("")
  const [externalId, setExternalId] = useState("")
  const [variables, setVariables] = useState<Readonly<Record<string, string>>>({})
  const [isTest, setIsTest] = useState(false)
  const agent = agents.find(({ id }) => id === agentId) ?? first
  const sent = useRef({ text: "", key: "" })
  const filled = Object.entries(variables).filter(([key, value]) =>
    value !== "" && agent.variables.some((variable) => variable.key === key)
  )
  const body = {
    agent_id: agent.id,
    phone_number: phoneNumber,
    contact: { ...(name !== "" && { name }), ...(externalId !== "" && { external_id: externalId }) },
    variables: Object.fromEntries(filled),
    ...(isTest && { test: true })
  }
  const preview = useMutation({
    mutationFn: () => request<Explanation>(accountPath(account, "v1/calls/preview"), { method: "POST", body })
  })
  const start = useMutation({
    mutationFn: () => {
      const text = JSON.stringify(body)
      // A new key for a corrected request; the same one when an answer was lost.
      if (sent.current.text !== text) sent.current = { text, key: newIdempotencyKey() }
      const headers = { "idempotency-key": sent.current.key }
      return request<Call>(accountPath(account, "v1/calls"), { method: "POST", body, headers })
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: [account, "calls"] })
      toast(calls.start.started)
      await navigate(`/${account}/calls/${id}`)
    }
  })
  const fields = [
    "phone_number",
    "contact.name",
    "contact.external_id",
    ...agent.variables.map(({ key }) => `variables.${key}`)
  ]

  if (preview.data !== undefined) {
    return (
      <>
        <Decision explanation={preview.data} />
        <RuleTable rules={preview.data.rules} />
        {start.error !== null && <ErrorNotice error={start.error} />}
        <DialogActions>
          <Button
            onPress={() => {
              preview.reset()
              start.reset()
            }}
          >
            {calls.start.back}
          </Button>
          <Button
            tone="primary"
            isPending={start.isPending}
            isDisabled={preview.data.decision === "refuse"}
            onPress={() => start.mutate()}
          >
            {preview.data.decision === "dial" || isTest ? calls.start.start : calls.start.queue}
          </Button>
        </DialogActions>
      </>
    )
  }
  return (
    <Form
      onSubmit={() => preview.mutate()}
      error={withVariables(preview.error)}
      fields={fields}
      actions={
        <>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button tone="primary" type="submit" isPending={preview.isPending}>{calls.start.check}</Button>
        </>
      }
    >
      <Select
        label={calls.columns.agent}
        options={agents.map((option) => ({ id: option.id, label: option.name }))}
        value={agent.id}
        onChange={setAgentId}
      />
      <TextField
        name="phone_number"
        label={calls.columns.number}
        description={calls.start.numberHelp}
        type="tel"
        value={phoneNumber}
        onChange={setPhoneNumber}
        isRequired
        autoFocus
      />
      <TextField name="contact.name" label={calls.start.name} value={name} onChange={setName} />
      <TextField
        name="contact.external_id"
        label={calls.columns.externalId}
        description={calls.start.externalIdHelp}
        value={externalId}
        onChange={setExternalId}
      />
      {agent.variables.map(({ default: usual, key, required }) => (
        <TextField
          key={key}
          name={`variables.${key}`}
          label={key}
          isRequired={required}
          value={variables[key] ?? ""}
          onChange={(value) => setVariables((old) => ({ ...old, [key]: value }))}
          {...(usual !== undefined && { placeholder: usual })}
        />
      ))}
      <Checkbox isSelected={isTest} onChange={setIsTest}>{calls.start.test}</Checkbox>
    </Form>
  )
}

/** `missing_variables` names the variables: each field gets its own message. */
const withVariables = (error: unknown): unknown => {
  if (!(error instanceof ApiError) || error.code !== "missing_variables") return error
  const { missing } = error.details
  if (!Array.isArray(missing)) return error
  const errors = missing.map((key) => ({ param: `/variables/${String(key)}`, message: error.message }))
  return new ApiError(error.status, { ...error.details, errors })
}
