import { isDeepStrictEqual } from 'node:util'
import { ClientError } from './client-error.ts'
import type { Client, Entry } from './clients.ts'
import { type Document, DocumentError } from './document.ts'
import { applyEdits, type Edit, inverse } from './edits.ts'
import { readJsonDocument } from './json-document.ts'
import { digest, type FileReceipt, type LoggedEdits } from './receipts.ts'
import { readTomlDocument } from './toml-document.ts'

/** What becomes of a client's file. Pure: texts and receipts in, texts and receipts out. */
export interface Change {
  /** Undefined: the file goes, or is not there. */
  readonly text: string | undefined
  /** Undefined: nothing of ours is left in it. */
  readonly receipt: FileReceipt | undefined
}

/** A client's file as it is. */
export interface Subject {
  readonly client: Client
  readonly path: string
  readonly text: string | undefined
  readonly receipt: FileReceipt | undefined
}

/** Throws ClientError, naming the place, for a text that is not what the client reads. */
export function readDocument({ client, path, text = '' }: Pick<Subject, 'client' | 'path' | 'text'>): Document {
  return orClientError(path, () =>
    client.format === 'toml'
      ? readTomlDocument(text, client.container)
      : readJsonDocument(text, client.container, client.format === 'jsonc'),
  )
}

/** Throws ClientError; undefined: the entry is there already, exactly so. */
export function addEntry(subject: Subject, name: string, entry: Entry, force: boolean): Change | undefined {
  const { path } = subject
  const document = readDocument(subject)
  const present = document.entries.get(name)
  const own = subject.receipt?.entries[name]
  if (isDeepStrictEqual(present, entry)) return undefined
  const isForeign = present !== undefined && !isDeepStrictEqual(present, own?.entry)
  if (isForeign && !force)
    throw new ClientError(`${path}: ${name} is there already and not as this program wrote it; --force replaces it`)
  const before = current(subject, document)
  const edits = orClientError(path, () =>
    present === undefined ? document.insert(name, entry) : document.replace(name, entry),
  )
  const after = checked(subject, edits, name, entry)
  const replaced = isForeign ? present : own?.replaced
  return {
    text: after,
    receipt: {
      ...before,
      sha256: digest(after),
      log: [...before.log, { kind: present === undefined ? 'add' : 'replace', name, edits }],
      entries: {
        ...before.entries,
        [name]: { entry, gap: own?.gap ?? document.gap, ...(replaced !== undefined && { replaced }) },
      },
    },
  }
}

/** Throws ClientError; undefined: there is no such entry. */
export function removeEntry(subject: Subject, name: string, force: boolean): Change | undefined {
  const { path, text = '' } = subject
  const document = readDocument(subject)
  const present = document.entries.get(name)
  const own = subject.receipt?.entries[name]
  if (present === undefined && own === undefined) return undefined
  if (present !== undefined && !isDeepStrictEqual(present, own?.entry) && !force)
    throw new ClientError(`${path}: ${name} is not as this program wrote it; --force removes it all the same`)

  const before = current(subject, document)
  const { [name]: _, ...entries } = before.entries
  const isLast = Object.keys(entries).length === 0
  const undoable = undoableEdits(before, name, isLast)
  if (undoable !== undefined) {
    const undone = undoable.toReversed().reduce((result, { edits }) => applyEdits(result, inverse(edits)), text)
    const log = before.log.slice(0, before.log.length - undoable.length)
    return settled({ ...before, log, entries }, undone, isLast, undone === '')
  }
  if (present === undefined) {
    const change = settled({ ...before, entries }, text, isLast, document.isBare)
    return subject.text === undefined ? { ...change, text: undefined } : change
  }
  const edits = orClientError(path, () =>
    own?.replaced === undefined
      ? document.remove(name, isLast && before.createdContainer && document.entries.size === 1, own?.gap ?? '')
      : document.replace(name, own.replaced as object),
  )
  const after = checked(subject, edits, name, own?.replaced)
  const isBare = readDocument({ ...subject, text: after }).isBare
  const log: LoggedEdits[] = [...before.log, { kind: 'remove', name, edits }]
  return settled({ ...before, log, entries }, after, isLast, isBare)
}

function settled(receipt: FileReceipt, text: string, isLast: boolean, isBare: boolean): Change {
  return {
    text: isLast && isBare && receipt.createdFile ? undefined : text,
    receipt: isLast ? undefined : { ...receipt, sha256: digest(text) },
  }
}

/** The receipt as it stands now that the file may have been changed by others. */
function current({ text, receipt }: Subject, document: Document): FileReceipt {
  const fresh: FileReceipt = {
    createdFolders: [],
    createdFile: text === undefined,
    createdContainer: !document.hasContainer,
    sha256: '',
    log: [],
    logIsWhole: true,
    entries: {},
  }
  if (receipt === undefined) return fresh
  if (receipt.sha256 === digest(text ?? '')) return receipt
  return { ...receipt, log: [], logIsWhole: false }
}

/** The end of the log whose undoing takes the entry out and nothing else; undefined where there is none. */
function undoableEdits({ log, logIsWhole, entries }: FileReceipt, name: string, isLast: boolean) {
  if (entries[name] === undefined || log.length === 0) return undefined
  // Nothing of ours is to be left: back to the beginning.
  if (isLast && logIsWhole) return log
  const last = log.at(-1)
  const isOnlyOne = log.filter((one) => one.name === name).length === 1
  return last?.name === name && isOnlyOne && last.kind === 'add' ? [last] : undefined
}

/** The text after the edits, which must have done what they are for. */
function checked(subject: Subject, edits: readonly Edit[], name: string, wanted: unknown): string {
  const after = applyEdits(subject.text ?? '', edits)
  const before = new Map(readDocument(subject).entries)
  before.delete(name)
  const found = new Map(readDocument({ ...subject, text: after }).entries)
  const entry = found.get(name)
  found.delete(name)
  if (!isDeepStrictEqual(entry, wanted) || !isDeepStrictEqual(found, before))
    throw new ClientError(`${subject.path}: is laid out so that this program cannot edit it; edit it by hand`)
  return after
}

function orClientError<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    throw new ClientError(`${path}:${error.line}:${error.column}: ${error.message}`)
  }
}
