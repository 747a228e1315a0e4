import type { AuthorizationServer, Client } from 'oauth4webapi';
import { readChannelFiles } from '../../platform/channels/channel-files.ts';
import type { Log } from '../../platform/log.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
import { askProvider, ProviderAway } from './ask-provider.ts';
import type { Attempt, Claims, NameClaim, ProviderSettings } from './identity.ts';

const KNOWN_MILLISECONDS = 60 * 60_000;
const CLOCK_TOLERANCE_SECONDS = 30;
/**
 * How many requests to begin a sign-in, and how many that return from the provider, may wait for a slow
 * provider at a time.
 */
const MOST_AT_ONCE = 16;
/**
 * How many returns from the provider a process remembers. If there are more, the oldest could be sent again,
 * which alone proves nothing.
 */
const MOST_REMEMBERED = 10_000;

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

export async function openProvider(
  settings: ProviderSettings,
  log: Pick<Log, 'warn'>,
): Promise<IdentityProvider> {
  await readChannelFiles(settings.files);
  return new IdentityProvider(settings, log);
}

export class IdentityProvider {
  readonly #settings: ProviderSettings;
  readonly #log: Pick<Log, 'warn'>;
  #known: { readonly server: Server; readonly readAt: number } | null = null;
  #reading: Promise<Server> | null = null;
  readonly #asked = { begin: 0, exchange: 0 };
  readonly #cameBack = new Set<string>();

  constructor(settings: ProviderSettings, log: Pick<Log, 'warn'>) {
    this.#settings = settings;
    this.#log = log;
  }

  get nameClaim(): NameClaim {
    return this.#settings.nameClaim;
  }

  /** The provider's address to send the browser to. Throws `ProviderAway`. */
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
   * Returns what the provider proves of the person; null: nothing. Throws `ProviderAway`. Each attempt is
   * checked once, so that each guessed code needs an attempt of its own.
   */
  check(parameters: URLSearchParams, attempt: Attempt, redirectTo: string): Promise<Claims | null> {
    return this.#inBounds('exchange', async () => {
      if (!this.#isFirst(attempt)) return null;
      const known = await library();
      try {
        return await this.#exchange(known, parameters, attempt, redirectTo);
      } catch (error) {
        if (error instanceof ProviderAway) throw error;
        // The library's messages contain nothing that was sent, but their causes do.
        const { message, code } = error as NodeJS.ErrnoException;
        // The provider rejects our client: nobody can sign in until an operator fixes it.
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
      // The signing key is newer than ours: a new object makes the library read the keys again.
      const renewed = { ...server };
      await known.validateApplicationLevelSignature(renewed, response, options);
      this.#known = { server: renewed, readAt: performance.now() };
    }
    return (known.getValidatedIdTokenClaims(answer) as Claims | undefined) ?? null;
  }

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

  /** Reads the provider's addresses from its discovery page. Throws `ProviderAway`. */
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

/**
 * All addresses must be under https, or under http like the issuer itself: one of them gets the browser,
 * another our secret.
 */
function checkedServer(server: AuthorizationServer, issuer: URL): Server {
  const addresses = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
  for (const name of addresses) {
    const protocol = URL.parse(String(server[name]))?.protocol;
    if (protocol !== 'https:' && protocol !== issuer.protocol)
      throw new ProviderAway(`the page of ${issuer.href} has no ${name} under https`);
  }
  return server as Server;
}
