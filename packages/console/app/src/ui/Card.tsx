/** A part of a page with a heading. `actions` stand beside the heading. */
import { type ReactNode, useId } from "react"

export interface CardProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

export const Card = ({ actions, children, className, title }: CardProps) => {
  const id = useId()
  return (
    <section aria-labelledby={id} className={className === undefined ? "card" : `card ${className}`}>
      <header>
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}

/** Names and values, two columns. Entries without a value are left out. */
export const Facts = (
  { facts }: { readonly facts: ReadonlyArray<readonly [name: string, value: ReactNode]> }
) => (
  <dl className="facts">
    {facts.filter(([, value]) => value !== undefined && value !== null && value !== false).map(([name, value]) => [
      <dt key={`${name} name`}>{name}</dt>,
      <dd key={`${name} value`}>{value}</dd>
    ])}
  </dl>
)
