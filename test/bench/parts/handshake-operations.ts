import * as crypto from 'node:crypto'
import { HANDSHAKE_SIZES as SIZES } from './handshake-sizes.ts'

/** One primitive as node:crypto runs it, and how often both ends of one handshake need it together. */
export interface Operation {
  readonly name: string
  readonly times: number
  readonly run: () => unknown
}

/**
 * Every cryptographic operation of one Standard handshake (Ed25519, AES-256-GCM), both ends, by the cheapest call that node
 * has for it. Inputs have the true sizes, and nothing else is done: no octet is encoded, compared or copied.
 */
export function handshakeOperations(): readonly Operation[] {
  return [...agreement(), ...keySchedule(), ...transcript(), ...identities(), ...sealing()]
}

function agreement(): Operation[] {
  const mlkem = crypto.generateKeyPairSync('ml-kem-768')
  const x25519 = crypto.generateKeyPairSync('x25519')
  const encapsulationKey = mlkem.publicKey.export({ format: 'raw-public' })
  const x25519Public = x25519.publicKey.export({ format: 'raw-public' })
  const { ciphertext } = crypto.encapsulate(mlkem.publicKey)
  return [
    { name: 'ML-KEM-768 key pair', times: 1, run: () => crypto.generateKeyPairSync('ml-kem-768') },
    { name: 'ML-KEM-768 public key out', times: 1, run: () => mlkem.publicKey.export({ format: 'raw-public' }) },
    {
      name: 'ML-KEM-768 public key in, modulus check',
      times: 1,
      run: () =>
        crypto.createPublicKey({ key: encapsulationKey, format: 'raw-public', asymmetricKeyType: 'ml-kem-768' }),
    },
    { name: 'ML-KEM-768 encapsulate', times: 1, run: () => crypto.encapsulate(mlkem.publicKey) },
    { name: 'ML-KEM-768 decapsulate', times: 1, run: () => crypto.decapsulate(mlkem.privateKey, ciphertext) },
    { name: 'X25519 key pair', times: 2, run: () => crypto.generateKeyPairSync('x25519') },
    { name: 'X25519 public key out', times: 2, run: () => x25519.publicKey.export({ format: 'raw-public' }) },
    {
      name: 'X25519 public key in',
      times: 2,
      run: () => crypto.createPublicKey({ key: x25519Public, format: 'raw-public', asymmetricKeyType: 'x25519' }),
    },
    { name: 'X25519', times: 2, run: () => crypto.diffieHellman(x25519) },
  ]
}

/** RFC 5869: Extract is one HMAC, and so is Expand to 32 octets or fewer, over the info and one octet more. */
function keySchedule(): Operation[] {
  const key = octets(SIZES.HASH)
  const hmac = (name: string, length: number, times: number): Operation => {
    const data = octets(length)
    return { name, times, run: () => crypto.createHmac('sha256', key).update(data).digest() }
  }
  return [
    hmac('HKDF-Extract', SIZES.KEM_SECRET, 2),
    ...SIZES.EXPAND_INFOS.map(({ info, times }) => hmac(`HKDF-Expand, info of ${info}`, info + 1, times)),
    hmac('Finished: HMAC-SHA-256', SIZES.HASH, 4),
  ]
}

function transcript(): Operation[] {
  return SIZES.HASHED.map((length) => {
    const data = octets(length)
    return { name: `SHA-256 over ${length}`, times: 2, run: () => crypto.hash('sha256', data, 'buffer') }
  })
}

function identities(): Operation[] {
  const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'raw-public' })
  const message = octets(SIZES.SIGNED)
  const signature = crypto.sign(null, message, privateKey)
  const [mac, same] = [octets(SIZES.HASH), octets(SIZES.HASH)]
  return [
    { name: 'Ed25519 sign', times: 2, run: () => crypto.sign(null, message, privateKey) },
    {
      name: 'Ed25519 public key in',
      times: 2,
      run: () => crypto.createPublicKey({ key: raw, format: 'raw-public', asymmetricKeyType: 'ed25519' }),
    },
    { name: 'Ed25519 verify', times: 2, run: () => crypto.verify(null, message, publicKey, signature) },
    { name: 'compare 32 octets', times: 2, run: () => crypto.timingSafeEqual(mac, same) },
  ]
}

/** Setting up the key is part of each call: a key object made before costs more than it saves here. */
function sealing(): Operation[] {
  const [key, nonce, aad, plaintext] = [octets(32), octets(12), octets(21), octets(SIZES.AUTH_PLAINTEXT)]
  const seal = () => {
    const cipher = crypto.createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(aad)
    const ciphertext = cipher.update(plaintext)
    cipher.final()
    return { ciphertext, tag: cipher.getAuthTag() }
  }
  const sealed = seal()
  const open = () => {
    const decipher = crypto.createDecipheriv('aes-256-gcm', key, nonce)
    decipher.setAAD(aad)
    decipher.setAuthTag(sealed.tag)
    const opened = decipher.update(sealed.ciphertext)
    decipher.final()
    return opened
  }
  const length = SIZES.AUTH_PLAINTEXT
  return [
    { name: `AES-256-GCM: key, seal ${length}`, times: 2, run: seal },
    { name: `AES-256-GCM: key, open ${length + 16}`, times: 2, run: open },
  ]
}

function octets(length: number): Uint8Array {
  return new Uint8Array(length).fill(length)
}
