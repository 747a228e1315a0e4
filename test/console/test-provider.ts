import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSafeServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certified } from '../webhooks/certificates.ts';

export const CLIENT = { id: 'parcela-console', secret: 'a-secret/of+the:client' } as const;

type SigningKey = {
  readonly kid: string;
  readonly alg: 'RS256' | 'ES256';
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
};

function makeKey(alg: SigningKey['alg']): SigningKey {
  const pair =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid: randomBytes(6).toString('hex'), alg, ...pair };
}

type Claims = Readonly<Record<string, unknown>>;

/** The person that signs in, and what is wrong with it. */
export type Behaviour = {
  readonly person: Claims;
  readonly alg?: SigningKey['alg'] | 'none' | 'HS256';
  /** Signed with a key that is not published, under the name of one that is. */
  readonly isForged?: boolean;
  /** Of the ID token, in place of what they should be. */
  readonly claims?: Claims;
  /** What comes back to the browser beside the code. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Of the well-known page. */
  readonly metadata?: Claims;
  /** What is answered instead, by path. */
  readonly instead?: Readonly<Record<string, (response: ServerResponse) => void>>;
};

type Grant = {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectTo: string;
};

const text = (value: string | Buffer) => Buffer.from(value).toString('base64url');

/** A small identity provider: authorization code with PKCE, a confidential client, real keys. */
export class TestProvider {
  readonly issuer: string;
  readonly #server: Server;
  readonly #codes = new Map<string, Grant>();
  #keys = [makeKey('RS256'), makeKey('ES256')];
  behaviour: Behaviour = { person: {} };
  /** Paths in order of their requests. */
  readonly asked: string[] = [];

  private constructor(server: Server, issuer: string) {
    this.#server = server;
    this.issuer = issuer;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async open(certified?: Certified): Promise<TestProvider> {
    const server =
      certified === undefined
        ? createServer()
        : createSafeServer({ key: certified.keyText, cert: certified.certificate });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new TestProvider(server, `${certified === undefined ? 'http' : 'https'}://127.0.0.1:${port}`);
  }

  /** Publishes other keys, and signs with them. */
  rotate(): void {
    this.#keys = [makeKey('RS256'), makeKey('ES256')];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** As a person does who signs in there: gives the address to which the browser is led back. */
  approve(address: string): string {
    const asked = new URL(address).searchParams;
    if (asked.get('client_id') !== CLIENT.id || asked.get('response_type') !== 'code')
      throw new Error(`no client of ours: ${address}`);
    if (asked.get('code_challenge_method') !== 'S256') throw new Error('no PKCE');
    const code = randomBytes(16).toString('base64url');
    const redirectTo = asked.get('redirect_uri') ?? '';
    this.#codes.set(code, {
      nonce: asked.get('nonce') ?? '',
      challenge: asked.get('code_challenge') ?? '',
      redirectTo,
    });
    const back = new URL(redirectTo);
    const sent = { code, state: asked.get('state') ?? '', iss: this.issuer, ...this.behaviour.parameters };
    for (const [name, value] of Object.entries(sent)) back.searchParams.set(name, value);
    return back.href;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer);
    this.asked.push(url.pathname);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const instead = this.behaviour.instead?.[url.pathname];
    if (instead !== undefined) return instead(response);
    const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    if (url.pathname === '/authorize') return this.#showPage(request, url, response);
    const [status, body] =
      url.pathname === '/.well-known/openid-configuration'
        ? [200, this.#metadata()]
        : url.pathname === '/jwks'
          ? [200, { keys: this.#keys.map(published) }]
          : url.pathname === '/token'
            ? this.#give(request, form)
            : [404, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  #showPage(request: IncomingMessage, url: URL, response: ServerResponse): void {
    if (request.method === 'POST')
      return void response.writeHead(302, { location: this.approve(url.href) }).end();
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Provider</title><form method="post"><button>Yes, it is me</button></form>');
  }

  #metadata() {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      // Says more than anybody should take.
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
      authorization_response_iss_parameter_supported: true,
      ...this.behaviour.metadata,
    };
  }

  #give(request: IncomingMessage, form: URLSearchParams): [number, unknown] {
    const [, shown = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const login = Buffer.from(shown, 'base64').toString('utf8').split(':').map(decodeURIComponent);
    if (login[0] !== CLIENT.id || login[1] !== CLIENT.secret) return [401, { error: 'invalid_client' }];
    const code = form.get('code') ?? '';
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== verifier || grant.redirectTo !== form.get('redirect_uri'))
      return [400, { error: 'invalid_grant' }];
    return [200, { access_token: 'a', token_type: 'Bearer', id_token: this.#token(grant) }];
  }

  #token({ nonce }: Grant): string {
    const { person, alg = 'RS256', isForged = false, claims = {} } = this.behaviour;
    const now = Math.floor(Date.now() / 1_000);
    const said = { iss: this.issuer, aud: CLIENT.id, iat: now, exp: now + 300, nonce, ...person, ...claims };
    const key = this.#keys.find((one) => one.alg === alg);
    const header = { alg, typ: 'JWT', ...(key !== undefined && { kid: key.kid }) };
    const data = `${text(JSON.stringify(header))}.${text(JSON.stringify(said))}`;
    if (alg === 'none') return `${data}.`;
    // With what everybody may read, as if it were a secret.
    if (key === undefined || (alg !== 'RS256' && alg !== 'ES256'))
      return `${data}.${createHmac('sha256', CLIENT.secret).update(data).digest('base64url')}`;
    const { privateKey } = isForged ? makeKey(alg) : key;
    const signed = sign('sha256', Buffer.from(data), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${data}.${text(signed)}`;
  }
}

function published({ kid, alg, publicKey }: SigningKey) {
  return { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' };
}
