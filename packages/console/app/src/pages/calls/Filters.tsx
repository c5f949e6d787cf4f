/** What narrows the list of calls. */
import { type FormEvent, useEffect, useState } from "react"
import { Input, Label, SearchField } from "react-aria-components"
import { useAccountQuery } from "../../data/Account.ts"
import { type CallFilters, spans, statuses } from "../../data/CallFilters.ts"
import type { Batch, List } from "../../data/Wire.ts"
import { useIsAllowed } from "../../data/Session.ts"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { MultiSelect, Select } from "../../ui/Select.tsx"
import { useAgents } from "./AgentNames.ts"

export interface FiltersProps {
  readonly filters: CallFilters
  readonly onChange: (change: Partial<CallFilters>) => void
  readonly onClear: () => void
  readonly isFiltered: boolean
}

export const Filters = ({ filters, isFiltered, onChange, onClear }: FiltersProps) => {
  const { calls } = useTexts()
  return (
    <search>
      <div className="filters">
        <Search search={filters.search} onSearch={(search) => onChange({ search })} />
        <MultiSelect
          label={calls.columns.status}
          placeholder={calls.anyStatus}
          options={statuses.map((id) => ({ id, label: calls.status[id] }))}
          value={filters.status}
          onChange={(status) => onChange({ status })}
        />
        <AgentFilter agent={filters.agent} onChange={(agent) => onChange({ agent })} />
        <BatchFilter batch={filters.batch} onChange={(batch) => onChange({ batch })} />
        <Select
          label={calls.createdFilter}
          options={[
            { id: "any", label: calls.anyTime },
            ...Object.keys(spans).map((id) => ({ id, label: calls.spans[id as keyof typeof spans] })), // the keys of a constant
            { id: "custom", label: calls.spans.custom }
          ]}
          value={filters.span}
          onChange={(span) => onChange({ span: span as CallFilters["span"] })} // an id of the options
        />
        <Select
          label={calls.kind}
          options={[
            { id: "any", label: calls.anyKind },
            { id: "false", label: calls.realOnly },
            { id: "true", label: calls.testOnly }
          ]}
          value={filters.test}
          onChange={(test) => onChange({ test: test as CallFilters["test"] })} // an id of the options
        />
        {filters.span === "custom" && (
          <>
            <Instant label={calls.from} value={filters.from} onChange={(from) => onChange({ from })} />
            <Instant label={calls.to} value={filters.to} onChange={(to) => onChange({ to })} />
          </>
        )}
        {isFiltered && <Button tone="quiet" onPress={onClear}>{calls.clearFilters}</Button>}
      </div>
    </search>
  )
}

/** Searches when the reader has finished: with Enter, or half a second after the last key. */
const Search = ({ onSearch, search }: { readonly search: string; readonly onSearch: (search: string) => void }) => {
  const { calls } = useTexts()
  const canSearchNumbers = useIsAllowed("operator")
  const [text, setText] = useState(search)
  const [seen, setSeen] = useState(search)
  if (seen !== search) {
    setSeen(search)
    setText(search)
  }
  useEffect(() => {
    if (text.trim() === search) return
    const timer = window.setTimeout(() => onSearch(text.trim()), 500)
    return () => window.clearTimeout(timer)
  })
  return (
    <SearchField
      className="field search-field"
      value={text}
      onChange={setText}
      onSubmit={() => onSearch(text.trim())}
      onClear={() => onSearch("")}
    >
      <Label>{calls.search}</Label>
      <span className="search-icon">
        <Icon name="search" />
      </span>
      <Input
        className="input"
        dir="auto"
        placeholder={canSearchNumbers ? calls.searchHint : calls.searchHintMasked}
        maxLength={255}
      />
    </SearchField>
  )
}

const AgentFilter = ({ agent, onChange }: { readonly agent: string; readonly onChange: (agent: string) => void }) => {
  const { calls } = useTexts()
  const agents = useAgents().data?.data ?? []
  const known = agents.map(({ id, name }) => ({ id, label: name }))
  const chosen = agent !== "" && !known.some(({ id }) => id === agent) ? [{ id: agent, label: agent }] : []
  return (
    <Select
      label={calls.columns.agent}
      options={[{ id: "", label: calls.anyAgent }, ...known, ...chosen]}
      value={agent}
      onChange={onChange}
    />
  )
}

const BatchFilter = ({ batch, onChange }: { readonly batch: string; readonly onChange: (batch: string) => void }) => {
  const { calls } = useTexts()
  const format = useFormat()
  const batches = useAccountQuery<List<Batch>>("choices", "v1/batches?limit=50", { staleTime: 60_000 }).data?.data ?? []
  const known = batches.map(({ accepted_count, created_at, id }) => ({
    id,
    label: `${format.dateTime(new Date(created_at))} · ${calls.count(accepted_count)}`
  }))
  const chosen = batch !== "" && !known.some(({ id }) => id === batch) ? [{ id: batch, label: batch }] : []
  return (
    <Select
      label={calls.columns.batch}
      options={[{ id: "", label: calls.anyBatch }, ...known, ...chosen]}
      value={batch}
      onChange={onChange}
    />
  )
}

interface InstantProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** In the viewer's zone. */
const Instant = ({ label, onChange, value }: InstantProps) => (
  <label className="field">
    <span className="field-label">{label}</span>
    <input
      className="input"
      type="datetime-local"
      value={value}
      onChange={(event: FormEvent<HTMLInputElement>) => onChange(event.currentTarget.value)}
    />
  </label>
)
