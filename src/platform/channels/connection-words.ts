export const CONNECTION_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program listens there',
  ECONNRESET: 'it broke the connection',
  UND_ERR_SOCKET: 'it broke the connection',
  EPIPE: 'it broke the connection',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ETIMEDOUT: 'nothing answers',
  TimeoutError: 'no answer came in time',
  UND_ERR_CONNECT_TIMEOUT: 'nothing answers',
  ENETUNREACH: 'there is no way to its network',
  EHOSTUNREACH: 'there is no way to it',
  ENOTFOUND: 'there is no such name',
  EAI_AGAIN: 'no name server answers',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is of another name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is of an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of an unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
};

/** Keeps the code, which people search for. */
export function wordsOf(code: string): string {
  const words = plainWordsOf(code);
  return words === null ? code : `${words}: ${code}`;
}

export function plainWordsOf(code: unknown): string | null {
  return typeof code === 'string' ? (CONNECTION_WORDS[code] ?? null) : null;
}
