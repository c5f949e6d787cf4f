/**
 * Reads the sources as the compiler understands them, for the library reference: signatures of functions, members of interfaces,
 * fields of types that are computed from schemas, and the error codes with which a promise can reject.
 */
import { join, resolve } from "node:path"
import * as ast from "typescript/unstable/ast"
import { API, type Symbol, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/sync"

import { rejections } from "./Rejections.ts"

const root = resolve(import.meta.dirname, "..")

export interface Field {
  /** From the type that was asked for, such as `calls[].id`. */
  readonly path: string
  readonly type: string
  readonly optional: boolean
  readonly doc: string
}

/** A member of an interface that is a function, such as `calls.start`. */
export interface Method {
  readonly path: string
  readonly signature: string
  readonly doc: string
}

/** A named type: what it extends, the groups of methods in it, its fields; or its text, where it has no fields. */
export interface Named {
  readonly doc: string
  readonly inherited: ReadonlyArray<string>
  readonly fields: ReadonlyArray<Field>
  readonly methods: ReadonlyArray<Method>
  /** Of groups of methods that have one, by their path. */
  readonly groups: ReadonlyMap<string, string>
  readonly text: string
}

/** Names that are shown as they stand, beside the types that the reference explains. */
const builtin = new Set(
  `AbortSignal ArrayBufferLike ArrayBufferView AsyncDisposable AsyncIterable Date Error IncomingMessage Layer Partial Promise FutureKind PromiseLike
  ReadableStream ReadonlyArray Readonly Record Request RequestInit Response ServerResponse Uint8Array URL Omit Pick Exclude`
    .split(
      /\s+/
    )
)

/** Source text in one line, without what a reader of a reference does not need. */
const plain = (text: string): string =>
  text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll("readonly ", "")
    .replaceAll(/([^{(,;|&<\s])\s*\n\s*(?=\w+\??:)/g, "$1; ").replaceAll(/\s+/g, " ")
    .replaceAll(/\b[A-Z]\w*\.(?=[A-Z])(?!Input\b)/g, "")
    .replaceAll(/Layer<(\w+)(?:[^<>]|<[^<>]*>)*>/g, "Layer<$1>").replaceAll("Layer<never>", "Layer")
    .replaceAll("{ services: Context<EngineServices> }", "Outdial")
    .replaceAll(/ReadonlyArray<([\w.]+)>/g, "$1[]").replaceAll(/^\| | \|(?= *$)/g, "").trim()

export const open = (known: ReadonlySet<string>) => {
  const api = new API({ cwd: root })
  const snapshot = api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] })
  const [project] = snapshot.getProjects()
  if (project === undefined) throw new Error("The project does not open")
  const { checker, program } = project

  const sourceOf = (file: string) => {
    const source = program.getSourceFile(join(root, file))
    if (source === undefined) throw new Error(`${file} is not there`)
    return source
  }

  const exported = (file: string, name: string): Symbol => {
    const module = checker.getSymbolAtLocation(sourceOf(file))
    const found = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name)
    if (found === undefined) throw new Error(`${file} does not export ${name}`)
    return (found.flags & SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(found) : found
  }

  const declarationOf = (symbol: Symbol) => symbol.declarations[0]?.resolve(project)
  const docOf = (symbol: Symbol) =>
    symbol.getDocumentationComment(checker).replaceAll(/\s*\n\s*/g, " ").replace(/ \(spec §[^)]*\)/, "").trim()
  const isOptional = (symbol: Symbol) => (symbol.flags & SymbolFlags.Optional) !== 0
  const typeOf = (symbol: Symbol) => checker.getTypeOfSymbol(symbol) ?? checker.getUnknownType()
  const isForeign = ({ path }: { readonly path: string }) => path.includes("/node_modules/effect/")
  const isUndefined = ({ flags }: Type) => (flags & TypeFlags.Undefined) !== 0
  const partsOf = (type: Type) => (type.isUnionType() ? type.getTypes() : [type]).filter((part) => !isUndefined(part))
  const isKnown = (text: string) =>
    !/^(typeof|keyof) |(?<!AccountClient)\["/.test(text) &&
    Array.from(text.replaceAll(/"[^"]*"|Layer<\w+>/g, "").matchAll(/\b[A-Z]\w*/g)).every(([name]) =>
      known.has(name) || builtin.has(name)
    )

  /** The type in words of TypeScript; `object` where its fields are listed below it. */
  const print = (type: Type): string => {
    const name = (type.getAliasSymbol() ?? type.getSymbol())?.name ?? ""
    if (known.has(name) || builtin.has(name) && ["Date", "FutureKind"].includes(name)) return name
    return resolved(type)
  }

  /** The same of a type whose own name does not say what it is. */
  const resolved = (type: Type): string => {
    const symbol = type.getAliasSymbol() ?? type.getSymbol()
    const name = symbol?.name ?? ""
    if (name === "Json") return "JSON value"
    // Of Effect, such as DateTime: its insides are not for this reference to explain.
    if (!name.startsWith("__") && symbol?.declarations.some(isForeign) === true) {
      return plain(checker.typeToString(type))
    }
    if (type.isUnionType()) {
      // JSON, as a mapped type unfolds it without end.
      if (
        ["string", "number", "null"].every((one) => type.getTypes().some((part) => checker.typeToString(part) === one))
      ) {
        return "JSON value"
      }
      // Of several objects the fields cannot stand in one list.
      const isOne = partsOf(type).filter(hasFields).length < 2
      const texts = [...new Set(partsOf(type).map((part) => isOne ? print(part) : inline(part)))]
      const isBoolean = texts.includes("true") && texts.includes("false")
      const others = texts.filter((text) => !isBoolean || (text !== "true" && text !== "false"))
      return [...others.filter((text) => text !== "null"), ...isBoolean ? ["boolean"] : []].concat(
        others.filter((text) => text === "null")
      ).join(" | ")
    }
    // A brand is of no use to a reader.
    if (type.isIntersectionType() && type.getTypes().some(({ flags }) => (flags & TypeFlags.String) !== 0)) {
      return "string"
    }
    const item = itemOf(type)
    if (item !== undefined) return /\W/.test(print(item)) ? `ReadonlyArray<${print(item)}>` : `${print(item)}[]`
    const [index] = type.isObjectType() ? checker.getIndexInfosOfType(type) : []
    if (index !== undefined) return `Record<string, ${print(index.valueType)}>`
    return hasFields(type) ? "object" : plain(checker.typeToString(type, undefined, 1))
  }

  const inline = (type: Type): string => {
    const text = print(type)
    if (text !== "object") return text
    const fields = checker.getPropertiesOfType(type).map((field) =>
      `${field.name}${isOptional(field) ? "?" : ""}: ${typeText(field)}`
    )
    return `{ ${fields.join("; ")} }`
  }

  const itemOf = (type: Type) =>
    checker.isArrayType(type) && type.isTypeReference() ? checker.getTypeArguments(type)[0] : undefined
  const hasFields = (type: Type) =>
    (type.isObjectType() || type.isIntersectionType()) && checker.getPropertiesOfType(type).length > 0

  /** The source text if readers know all its names, else the type that the compiler resolves. */
  const typeText = (symbol: Symbol): string => {
    const node = declarationOf(symbol)
    if (symbol.name === "policy") return "HostPolicy"
    const hasType = node !== undefined && (ast.isPropertySignatureDeclaration(node) || ast.isPropertyDeclaration(node))
    const written = hasType && node.type !== undefined ? plain(node.type.getText()) : undefined
    return written !== undefined && isKnown(written) ? written : print(typeOf(symbol))
  }

  const fieldsOf = (properties: ReadonlyArray<Symbol>, prefix = ""): ReadonlyArray<Field> =>
    properties.filter(({ name }) => !name.startsWith("__")).flatMap((symbol) => {
      const path = `${prefix}${symbol.name}`
      const type = typeText(symbol)
      return [{ path, type, optional: isOptional(symbol), doc: docOf(symbol) }, ...innerOf(symbol, type, path)]
    })

  const innerOf = (symbol: Symbol, text: string, path: string): ReadonlyArray<Field> => {
    if (!/\bobject\b/.test(text) || text.includes("{")) return []
    const [inner] = partsOf(typeOf(symbol)).flatMap((part) => {
      const item = itemOf(part)
      const target = item ?? part
      return hasFields(target) ? [{ target, mark: item === undefined ? "." : "[]." }] : []
    })
    return inner === undefined ? [] : fieldsOf(checker.getPropertiesOfType(inner.target), `${path}${inner.mark}`)
  }

  /** `name(parameters): result`. */
  const signatureOf = (name: string, node: ast.SignatureDeclaration, result?: string): string => {
    const parameters = node.parameters.map((parameter) => {
      const { dotDotDotToken, initializer, name, questionToken, type } = parameter
      const label = ast.isIdentifier(name) ? name.text : "options"
      const mark = initializer !== undefined || questionToken !== undefined ? "?" : ""
      return `${dotDotDotToken === undefined ? "" : "..."}${label}${mark}: ${
        type === undefined ? "unknown" : plain(type.getText())
      }`
    })
    const generics = (node.typeParameters ?? []).map((parameter) => plain(parameter.getText())).join(", ")
    return `${name}${generics && `<${generics}>`}(${parameters.join(", ")}): ${
      result ?? (node.type === undefined ? "void" : plain(node.type.getText()))
    }`
  }

  /** An exported function, or a static one of an exported class. */
  const fn = (file: string, name: string, call: string, member?: string): Method => {
    const owner = exported(file, name)
    const symbol = member === undefined ? owner : checker.getPropertyOfType(typeOf(owner), member)
    const node = symbol && declarationOf(symbol)
    const arrow = node && (ast.isVariableDeclaration(node) || ast.isPropertyDeclaration(node))
      ? node.initializer
      : undefined
    if (symbol === undefined || arrow === undefined || !ast.isArrowFunction(arrow)) {
      throw new Error(`${call} is no function`)
    }
    const resolved = checker.getSignatureFromDeclaration(arrow)
    const result = resolved && checker.getReturnTypeOfSignature(resolved)
    const inferred = result === undefined ? undefined : plain(checker.typeToString(result, undefined, 1))
    return {
      path: call,
      signature: signatureOf(call, arrow, arrow.type === undefined ? inferred : undefined),
      doc: docOf(symbol)
    }
  }

  const named = (file: string, name: string): Named => {
    const symbol = exported(file, name)
    const node = declarationOf(symbol)
    if (node === undefined) throw new Error(`${name} has no declaration`)
    const methods: Array<Method> = []
    const groups = new Map<string, string>()
    /** Properties without the methods, which are set aside. */
    const withoutMethods = (properties: ReadonlyArray<Symbol>, prefix: string): ReadonlyArray<Symbol> =>
      properties.filter((property) => {
        const node = declarationOf(property)
        if (node === undefined || !ast.isPropertySignatureDeclaration(node)) return true
        const { type } = node
        const path = `${prefix}${property.name}`
        if (ast.isFunctionTypeNode(type) && !isOptional(property)) {
          methods.push({ path, signature: signatureOf(property.name, type), doc: docOf(property) })
          return false
        }
        if (!ast.isTypeLiteralNode(type) || !type.getText().includes("=>")) return true
        groups.set(path, docOf(property))
        withoutMethods(checker.getPropertiesOfType(typeOf(property)), `${path}.`)
        return false
      })
    const heritage = ast.isInterfaceDeclaration(node)
      ? (node.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => plain(type.getText())))
      : []
    const inherited = heritage.filter(isKnown)
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const own = heritage.length > 0 && inherited.length === heritage.length
      ? Array.from(symbol.getMembers().values())
      : ast.isClassDeclaration(node)
      ? Array.from(symbol.getMembers().values()).filter(({ flags }) => (flags & SymbolFlags.Property) !== 0)
      : checker.getPropertiesOfType(type)
    const written = ast.isTypeAliasDeclaration(node) ? plain(node.type.getText()) : ""
    const isText = type.isUnionType() || !hasFields(type) ||
      ast.isTypeAliasDeclaration(node) && ast.isFunctionTypeNode(node.type)
    const fields = isText ? [] : fieldsOf(withoutMethods(own, ""))
    return {
      doc: docOf(symbol),
      inherited,
      fields,
      methods,
      groups,
      text: isText ? (isKnown(written) ? written : resolved(type)) : ""
    }
  }

  return { fn, named, rejections: (file: string) => rejections(project, sourceOf(file)), close: () => api.close() }
}
