/**
 * Keeps a data folder private to its owner (mode 0700). If others can enter the folder, their access is removed, and a
 * warning logged, before the database in it is opened; a folder of another user is rejected. Windows has no modes, so this
 * does nothing there.
 *
 * Uses Node's file system directly: Effect's portable API has no file owner.
 */
import type { Stats } from "node:fs"
import { chmod, lstat, mkdir, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { getuid } from "node:process"

/** A folder or file that belongs to another user. */
export class ForeignOwner extends Error {
  constructor(path: string, owner: number, user: number) {
    super(`${path} belongs to user ${owner}, and this process runs as user ${user}`)
  }
}

const hasModes = getuid !== undefined

/** Mode bits of the group and of everyone. */
const others = 0o077

/** Files checked concurrently: a database of a thousand files takes milliseconds. */
const filesAtOnce = 64

/**
 * Creates the folder and missing parents, for the owner only; removes the access of others to an existing folder. Returns
 * a warning for the operator, if there is one.
 */
export const makePrivate = async (folder: string): Promise<string | undefined> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!hasModes) return undefined
  const before = await stat(folder)
  if (!(await close(folder, before))) return undefined
  const { mode } = await stat(folder)
  return (mode & others) === 0
    ? `${folder} was open to other users (mode ${octal(before.mode)}) and is closed now (0700). ` +
      "They may have read or changed its files"
    : `${folder} is open to other users (mode ${octal(mode)}), and its file system does not support modes: ` +
      "any user of this machine may read and change its files"
}

/** Removes the access of others to the folder and its contents. PGlite's files have mode 0666, whatever the umask is. */
export const closeTree = async (folder: string): Promise<void> => {
  if (!hasModes) return
  const entries = [".", ...await readdir(folder, { recursive: true })]
  for (let first = 0; first < entries.length; first += filesAtOnce) {
    await Promise.all(
      entries.slice(first, first + filesAtOnce).map(async (entry) => {
        const path = join(folder, entry)
        const found = await lstat(path)
        // A link has no mode of its own, and its target is outside this folder.
        if (!found.isSymbolicLink()) await close(path, found)
      })
    )
  }
}

/** Whether others can enter the folder. */
export const isOpen = async (folder: string): Promise<boolean> => hasModes && ((await stat(folder)).mode & others) !== 0

/** Removes the permissions of others; returns whether there were any. */
const close = async (path: string, { mode, uid }: Stats): Promise<boolean> => {
  const user = getuid?.()
  if (user !== undefined && uid !== user) throw new ForeignOwner(path, uid, user)
  if ((mode & others) === 0) return false
  await chmod(path, mode & 0o700)
  return true
}

const octal = (mode: number) => (mode & 0o777).toString(8).padStart(4, "0")
