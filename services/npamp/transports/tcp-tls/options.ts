/** What a connection must negotiate, nothing else (WIRE-001); its last digit is the wire version. */
export const ALPN = 'n-pamp/2'

/** observe: the runtime's own preference; prefer: X25519MLKEM768 first; require: X25519MLKEM768 or no connection. */
export type PostQuantum = 'observe' | 'prefer' | 'require'

/** How a dialler treats the outer TLS (CARRIAGE section 12). */
export type TlsMode = { readonly postQuantum?: PostQuantum } & (
  | {
      /** The peer's certificate is not validated: the N-PAMP identities authenticate. */
      readonly mode: 'pinned'
    }
  | {
      readonly mode: 'ca'
      /** PEM bundle of the authorities that may have issued the peer's certificate. */
      readonly ca: string | Uint8Array
      /** DNS name or IP address that the certificate must carry. */
      readonly serverName: string
      /** PEM client certificate and key, for peers that ask for one. */
      readonly cert?: string | Uint8Array
      readonly key?: string | Uint8Array
    }
)

export type ListenTlsMode = { readonly postQuantum?: PostQuantum } & (
  | {
      /** An Ed25519 self-signed certificate is minted in memory at every start. */
      readonly mode: 'pinned'
    }
  | {
      readonly mode: 'ca'
      /** PEM chain and private key. */
      readonly cert: string | Uint8Array
      readonly key: string | Uint8Array
      /** When given, clients must show a certificate that this bundle has issued. */
      readonly ca?: string | Uint8Array
    }
)
