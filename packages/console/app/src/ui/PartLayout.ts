/**
 * The layout of a table of which only a part is in React Aria's collection: it takes about 35 kB of memory for each row that it knows. The rows before
 * the part and after it have their height all the same. Their numbers are attributes of the table's body, so that they always belong to the rows beside
 * which they came: an update of the rows and one of the layout's options could meet an old state of the other.
 */
import { TableLayout } from "react-aria-components"
import type { LayoutNode } from "react-stately/useVirtualizerState"

type BodyNode = NonNullable<LayoutNode["node"]>

const rowsOf = ({ props }: BodyNode, name: "data-before" | "data-after"): number =>
  Number((props as Readonly<Record<string, unknown>> | undefined)?.[name] ?? 0) // set by `DataTable`

export class PartLayout<Row extends object> extends TableLayout<Row> {
  protected override buildRowGroup(y: number, node: BodyNode): LayoutNode {
    const height = this.getEstimatedRowHeight()
    const before = rowsOf(node, "data-before") * height
    const body = super.buildRowGroup(y + before, node as never) // its type, a node of a grid, is not exported
    const { rect } = body.layoutInfo
    rect.y = y
    rect.height += before + rowsOf(node, "data-after") * height
    return body
  }
}
