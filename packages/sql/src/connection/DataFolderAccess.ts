/**
 * Keeps a data folder private to its owner (mode 0700). Guarantees that a folder which others could enter is closed, with a
 * warning in the log, before the database in it is opened; a folder of another user is refused. Windows has no modes, and
 * nothing is done there.
 *
 * It uses Node's file system directly: the owner of a file is not in Effect's portable part.
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

/** Bits of a mode that are for the group and for everyone. */
const others = 0o077

/** Files looked at together: enough that a database of a thousand files is checked in milliseconds. */
const filesAtOnce = 64

/**
 * Makes the folder, and parents that are missing, for its owner alone; closes one that others can enter. Answers what the
 * operator should know of it, if anything.
 */
export const makePrivate = async (folder: string): Promise<string | undefined> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!hasModes) return undefined
  const before = await stat(folder)
  if (!(await close(folder, before))) return undefined
  const { mode } = await stat(folder)
  return (mode & others) === 0
    ? `${folder} was open to other users (mode ${
      octal(before.mode)
    }) and is closed now (0700). They may have read or changed ` +
      "what is in it"
    : `${folder} is open to other users (mode ${
      octal(mode)
    }), and its file system keeps no modes: anyone on this machine may ` +
      "read and change what is in it"
}

/** Closes the folder and everything in it to others. PGlite gives its files mode 0666, whatever the process's umask is. */
export const closeTree = async (folder: string): Promise<void> => {
  if (!hasModes) return
  const entries = [".", ...await readdir(folder, { recursive: true })]
  for (let first = 0; first < entries.length; first += filesAtOnce) {
    await Promise.all(
      entries.slice(first, first + filesAtOnce).map(async (entry) => {
        const path = join(folder, entry)
        const found = await lstat(path)
        // A link has no mode of its own, and what it leads to is not in this folder.
        if (!found.isSymbolicLink()) await close(path, found)
      })
    )
  }
}

/** Whether others can enter the folder. */
export const isOpen = async (folder: string): Promise<boolean> => hasModes && ((await stat(folder)).mode & others) !== 0

/** Takes the rights of others away; answers whether they had any. */
const close = async (path: string, { mode, uid }: Stats): Promise<boolean> => {
  const user = getuid?.()
  if (user !== undefined && uid !== user) throw new ForeignOwner(path, uid, user)
  if ((mode & others) === 0) return false
  await chmod(path, mode & 0o700)
  return true
}

const octal = (mode: number) => (mode & 0o777).toString(8).padStart(4, "0")
