/** Parts of the page that are loaded when they are first shown. What a failure means is told by the page around it. */
import { type ComponentType, lazy, type LazyExoticComponent } from "react"

/** A part could not be loaded: the server does not answer, or has another version. The browser's message helps no reader. */
export class PartError extends Error {
  constructor(cause: unknown) {
    super("A part of the page could not be loaded", { cause })
    this.name = "PartError"
  }
}

/** The component of the module that `load` imports. Throws a `PartError` where it is shown but could not be loaded. */
export const part = <Props>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> =>
  lazy(() =>
    load().then((component) => ({ default: component }), (cause: unknown) => {
      throw new PartError(cause)
    })
  )
