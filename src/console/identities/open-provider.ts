import type { AuthorizationServer, Client } from 'oauth4webapi';
import { readChannelFiles } from '../../platform/channels/channel-files.ts';
import type { Log } from '../../platform/log.ts';
import { Overloaded } from '../../platform/work/overloaded.ts';
import { askProvider, ProviderAway } from './ask-provider.ts';
import type { Attempt, Claims, NameClaim, ProviderSettings } from './identity.ts';

/** What its well-known page says is read again after as long. */
const KNOWN_MILLISECONDS = 60 * 60_000;
const CLOCK_TOLERANCE_SECONDS = 30;
/** A provider that is slow holds no more places than these, of those who begin and of those who come back. */
const MOST_AT_ONCE = 16;
/** Beyond so many that came back, the first could be tried again: each by itself proves nothing. */
const MOST_REMEMBERED = 10_000;

/** Loaded when the first person comes. */
const library = () => import('oauth4webapi');
type Library = Awaited<ReturnType<typeof library>>;

const SCOPES: Readonly<Record<NameClaim, string>> = {
  email: 'openid email',
  preferred_username: 'openid profile',
};

type Server = AuthorizationServer & {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
};

/** Throws where its files cannot be used. */
export async function openProvider(
  settings: ProviderSettings,
  log: Pick<Log, 'warn'>,
): Promise<IdentityProvider> {
  await readChannelFiles(settings.files);
  return new IdentityProvider(settings, log);
}

/** The operator's identity provider, as a client of it with a secret sees it. */
export class IdentityProvider {
  readonly #settings: ProviderSettings;
  readonly #log: Pick<Log, 'warn'>;
  #known: { readonly server: Server; readonly readAt: number } | null = null;
  #reading: Promise<Server> | null = null;
  readonly #asked = { begin: 0, exchange: 0 };
  /** The states of those who came back. */
  readonly #cameBack = new Set<string>();

  constructor(settings: ProviderSettings, log: Pick<Log, 'warn'>) {
    this.#settings = settings;
    this.#log = log;
  }

  get nameClaim(): NameClaim {
    return this.#settings.nameClaim;
  }

  /** Where a browser is sent to sign in. Throws `ProviderAway`. */
  async addressOf({ state, nonce, verifier }: Attempt, redirectTo: string): Promise<string> {
    const { calculatePKCECodeChallenge } = await library();
    const { authorization_endpoint } = await this.#inBounds('begin', () => this.#server());
    const address = new URL(authorization_endpoint);
    const asked = {
      response_type: 'code',
      client_id: this.#settings.clientId,
      redirect_uri: redirectTo,
      scope: SCOPES[this.#settings.nameClaim],
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
    return address.href;
  }

  /**
   * What the provider proves of somebody with these parameters; null: nothing. It is asked once for each
   * attempt: a stranger who makes codes up makes an attempt for each. Throws `ProviderAway`.
   */
  check(parameters: URLSearchParams, attempt: Attempt, redirectTo: string): Promise<Claims | null> {
    return this.#inBounds('exchange', async () => {
      if (!this.#isFirst(attempt)) return null;
      const known = await library();
      try {
        return await this.#exchange(known, parameters, attempt, redirectTo);
      } catch (error) {
        if (error instanceof ProviderAway) throw error;
        // The library's sentences hold nothing of what was sent; its causes do.
        const { message, code } = error as NodeJS.ErrnoException;
        // The provider does not believe us: nobody comes in before an operator looks at it.
        if (error instanceof known.ResponseBodyError && error.error !== 'invalid_grant')
          throw new ProviderAway(`the token endpoint answered ${error.error.slice(0, 100)}`);
        this.#log.warn({ reason: message, code }, 'what came from the identity provider opens nothing');
        return null;
      }
    });
  }

  async #exchange(
    known: Library,
    parameters: URLSearchParams,
    { state, nonce, verifier }: Attempt,
    redirectTo: string,
  ): Promise<Claims | null> {
    const server = await this.#server();
    const client: Client = {
      client_id: this.#settings.clientId,
      [known.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    };
    const { token: secret, ca } = await readChannelFiles(this.#settings.files);
    const options = this.#optionsOf(known, ca);
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const prove = methods.includes('client_secret_basic') ? known.ClientSecretBasic : known.ClientSecretPost;
    const response = await known.authorizationCodeGrantRequest(
      server,
      client,
      prove(secret ?? ''),
      known.validateAuthResponse(server, client, parameters, state),
      redirectTo,
      verifier,
      options,
    );
    const answer = await known.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    try {
      await known.validateApplicationLevelSignature(server, response, options);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== known.KEY_SELECTION) throw error;
      // Signed with a key that is newer than those we have: they are read again under a new object.
      const renewed = { ...server };
      await known.validateApplicationLevelSignature(renewed, response, options);
      this.#known = { server: renewed, readAt: performance.now() };
    }
    return (known.getValidatedIdTokenClaims(answer) as Claims | undefined) ?? null;
  }

  /** Reads the well-known page, once for all who wait for it. */
  async #server(): Promise<Server> {
    const known = this.#known;
    if (known !== null && performance.now() - known.readAt < KNOWN_MILLISECONDS) return known.server;
    this.#reading ??= this.discover().finally(() => {
      this.#reading = null;
    });
    const server = await this.#reading;
    this.#known = { server, readAt: performance.now() };
    return server;
  }

  /** What the well-known page of the issuer says. Throws `ProviderAway`. */
  async discover(): Promise<Server> {
    const known = await library();
    const issuer = new URL(this.#settings.issuer);
    const { ca } = await readChannelFiles(this.#settings.files);
    try {
      const answer = await known.discoveryRequest(issuer, {
        algorithm: 'oidc',
        ...this.#optionsOf(known, ca),
      });
      return checkedServer(await known.processDiscoveryResponse(issuer, answer), issuer);
    } catch (error) {
      if (error instanceof ProviderAway) throw error;
      throw new ProviderAway(`the page of ${issuer.href} cannot be used: ${(error as Error).message}`);
    }
  }

  #optionsOf({ customFetch, allowInsecureRequests }: Library, ca: string | null) {
    const isPlain = this.#settings.issuer.startsWith('http:');
    return {
      [customFetch]: (url: string, question: Parameters<typeof askProvider>[2]) =>
        askProvider(ca, url, question),
      [allowInsecureRequests]: isPlain,
    };
  }

  #isFirst({ state }: Attempt): boolean {
    if (this.#cameBack.has(state)) return false;
    const [oldest] = this.#cameBack;
    if (oldest !== undefined && this.#cameBack.size >= MOST_REMEMBERED) this.#cameBack.delete(oldest);
    this.#cameBack.add(state);
    return true;
  }

  async #inBounds<T>(step: 'begin' | 'exchange', work: () => Promise<T>): Promise<T> {
    if (this.#asked[step] >= MOST_AT_ONCE)
      throw new Overloaded('the identity provider is being asked for others');
    this.#asked[step] += 1;
    try {
      return await work();
    } finally {
      this.#asked[step] -= 1;
    }
  }
}

/** A browser is sent to one of these addresses, and our secret to another. */
function checkedServer(server: AuthorizationServer, issuer: URL): Server {
  const addresses = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
  for (const name of addresses) {
    const protocol = URL.parse(String(server[name]))?.protocol;
    if (protocol !== 'https:' && protocol !== issuer.protocol)
      throw new ProviderAway(`the page of ${issuer.href} has no ${name} under https`);
  }
  return server as Server;
}
