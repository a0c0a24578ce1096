/** Scenarios that are not run, by reason: no list is shortened without one. */
export const EXCLUDED: readonly { readonly reason: string; readonly scenarios: readonly string[] }[] = [
  {
    reason:
      'The suite’s server demands OAuth: it answers 401 or 403 with `WWW-Authenticate` and serves its own metadata. A ' +
      'transparent route carries no credentials to the server and no challenge to the client: a 401 or 403 of the server ' +
      'becomes the error BackendAuthRequired (-33117), because a token must never cross to a server that it was not issued for.',
    scenarios: [
      'auth/metadata-default',
      'auth/metadata-var1',
      'auth/metadata-var2',
      'auth/metadata-var3',
      'auth/basic-cimd',
      'auth/scope-from-www-authenticate',
      'auth/scope-from-scopes-supported',
      'auth/scope-omitted-when-undefined',
      'auth/scope-step-up',
      'auth/scope-retry-limit',
      'auth/token-endpoint-auth-basic',
      'auth/token-endpoint-auth-post',
      'auth/token-endpoint-auth-none',
      'auth/pre-registration',
      'auth/resource-mismatch',
      'auth/offline-access-scope',
      'auth/offline-access-not-supported',
      'auth/authorization-server-migration',
      'auth/iss-supported',
      'auth/iss-not-advertised',
      'auth/iss-supported-missing',
      'auth/iss-wrong-issuer',
      'auth/iss-unexpected',
      'auth/iss-normalized',
      'auth/metadata-issuer-mismatch',
      'auth/client-credentials-jwt',
      'auth/client-credentials-basic',
      'auth/enterprise-managed-authorization',
      'auth/dpop',
      'auth/dpop-nonce',
      'auth/wif-jwt-bearer',
    ],
  },
]

export function isExcluded(scenario: string): boolean {
  return EXCLUDED.some(({ scenarios }) => scenarios.includes(scenario))
}
