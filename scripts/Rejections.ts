/** The error codes with which each promise of the library can reject, from the types of the effects that it runs. */
import * as ast from "typescript/unstable/ast"
import type { Project, Type } from "typescript/unstable/sync"

/** By the path of the method, such as `calls.start`: the codes that `run` is called with below it. */
export const rejections = (
  { checker }: Project,
  source: ast.SourceFile
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, ReadonlyArray<string>>()

  const typeOf = (error: Type, property: string): Type | undefined => {
    const symbol = checker.getPropertyOfType(error, property)
    return symbol && checker.getTypeOfSymbol(symbol)
  }
  const partsOf = (type: Type | undefined): ReadonlyArray<Type> =>
    type === undefined ? [] : type.isUnionType() ? type.getTypes() : [type]
  /** Some errors only say why: theirs is the code of the reason. */
  const codesOf = (error: Type): ReadonlyArray<string> =>
    partsOf(error).flatMap((part) => {
      const codes = partsOf(typeOf(part, "code"))
      return codes.length > 0
        ? codes.flatMap((code) => code.isStringLiteralType() ? [code.value] : [])
        : partsOf(typeOf(part, "reason")).flatMap((reason) => reason.isStringLiteralType() ? [] : codesOf(reason))
    })

  const visit = (node: ast.Node, path: ReadonlyArray<string>): void => {
    const here = ast.isPropertyAssignment(node) ? [...path, node.name.getText()] : path
    const [effect] = ast.isCallExpression(node) && node.expression.getText() === "run" ? node.arguments : []
    const type = effect && checker.getTypeAtLocation(effect)
    if (type?.isTypeReference() === true) {
      const [, error] = checker.getTypeArguments(type)
      if (error !== undefined) found.set(here.join("."), [...new Set(codesOf(error))].toSorted())
    }
    node.forEachChild((child) => visit(child, here))
  }

  visit(source, [])
  return found
}
