import type { AddressBlock } from '../../values/ip-address.ts';
import { openResolver } from './open-resolver.ts';
import type { UrlRules } from './url-rules.ts';

export type UrlSettings = {
  readonly environment: 'homologation' | 'production';
  readonly webhookNetworks: readonly AddressBlock[];
  readonly takesWebhooksOnLoopback: boolean;
};

export function openUrlRules(settings: UrlSettings): UrlRules {
  return {
    openedNetworks: settings.webhookNetworks,
    takesLoopback: settings.takesWebhooksOnLoopback,
    takesHttp: settings.environment === 'homologation',
    resolver: openResolver(),
  };
}
