/** What each column means: a choice per column, beside examples of its cells. */
import type { Agent } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Checkbox } from "../../ui/Form.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { type Option, Select } from "../../ui/Select.tsx"
import { assign, bodyOf, type Column, fieldTargets, isContactField, type Target, variableTarget } from "./Columns.ts"
import type { CsvFile } from "./CsvFile.ts"

export interface ColumnsStepProps {
  readonly agent: Agent
  readonly file: CsvFile
  readonly hasHeader: boolean
  readonly columns: ReadonlyArray<Column>
  readonly onHeader: (hasHeader: boolean) => void
  readonly onColumns: (columns: ReadonlyArray<Column>) => void
}

const examples = 3

/** Names the columns of the agent's variables that no column gives and that have no default. */
export const missingVariables = (agent: Agent, columns: ReadonlyArray<Column>): ReadonlyArray<string> =>
  agent.variables
    .filter(({ key, required }) => required && !isContactField(key))
    .map(({ key }) => key)
    .filter((key) => !columns.some(({ target }) => target === variableTarget(key)))

export const ColumnsStep = ({ agent, columns, file, hasHeader, onColumns, onHeader }: ColumnsStepProps) => {
  const { batches: texts } = useTexts()
  const rows = bodyOf(file, hasHeader)
  const missing = missingVariables(agent, columns)
  const options: ReadonlyArray<Option<Target>> = [
    ...fieldTargets.map((id) => ({ id, label: texts.column.fields[id] })),
    ...agent.variables.filter(({ key }) => !isContactField(key)).map(({ key }) => ({
      id: variableTarget(key),
      label: texts.column.variable(key)
    })),
    { id: "metadata", label: texts.column.fields.metadata },
    { id: "skip", label: texts.column.fields.skip }
  ]
  return (
    <Card title={texts.column.title}>
      <Checkbox isSelected={hasHeader} onChange={onHeader}>{texts.file.hasHeader}</Checkbox>
      <table className="plain-table columns-table">
        <thead>
          <tr>
            <th scope="col">{texts.column.column}</th>
            <th scope="col">{texts.column.examples}</th>
            <th scope="col">{texts.column.meaning}</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((column) => {
            const name = column.header === "" ? texts.column.unnamed(column.index + 1) : column.header
            return (
              <tr key={column.index}>
                <th scope="row">
                  <Foreign text={name} />
                </th>
                <td className="muted">
                  {rows.slice(0, examples).map(({ cells, number }) => (
                    <div key={number} className="one-line">
                      <Foreign isLine text={cells[column.index] ?? ""} />
                    </div>
                  ))}
                </td>
                <td>
                  <Select
                    label={texts.column.meaningOf(name)}
                    isLabelHidden
                    options={options}
                    value={column.target}
                    onChange={(target) => onColumns(assign(columns, column.index, target))}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {!columns.some(({ target }) => target === "phone_number") && (
        <Notice tone="warn">{texts.column.missingPhone}</Notice>
      )}
      {missing.length > 0 && <Notice tone="warn">{texts.column.missingVariables(missing.join(", "))}</Notice>}
    </Card>
  )
}
