import type { ChannelFiles } from '../../platform/channels/channel-files.ts';
import type { NameClaim } from './identity.ts';

/** The operator's identity provider (OIDC). */
export type ProviderSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /** The token is the client's secret. Files are read for each sign-in, so that one may be replaced. */
  readonly files: ChannelFiles;
  readonly nameClaim: NameClaim;
};
