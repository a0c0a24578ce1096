import { create } from '@bufbuild/protobuf'
import { type File, FileSchema, type KeyPair, KeyPairSchema, type Secret, SecretSchema } from '@causeway/rpc'
import type { FileIr, KeyPairIr, SecretIr } from '../ir/file.ts'

export function translateFile(file: FileIr): File {
  if ('path' in file) return create(FileSchema, { location: { case: 'path', value: file.path } })
  const { mounted, sha256 } = file
  return create(FileSchema, {
    location: { case: 'mounted', value: mounted },
    ...(sha256 === undefined ? {} : { sha256: Uint8Array.from(Buffer.from(sha256, 'hex')) }),
  })
}

export function translateKeyPair({ certificate, key }: KeyPairIr): KeyPair {
  return create(KeyPairSchema, { certificate: translateFile(certificate), key: translateFile(key) })
}

export function translateSecret(secret: SecretIr): Secret {
  if ('literal' in secret) return create(SecretSchema, { source: { case: 'literal', value: secret.literal } })
  if ('file' in secret) return create(SecretSchema, { source: { case: 'file', value: translateFile(secret.file) } })
  return create(SecretSchema, { source: { case: 'environmentVariable', value: secret.environmentVariable } })
}
