import { errorFields, type Log } from '../log.ts';
import { counter, gauge, type Metrics } from '../metrics.ts';
import type { ChannelOptions } from './open-channel.ts';

const FAULTS = counter(
  'parcela_channel_faults_total',
  'Times that changed files of a channel (certificate, key, authorities, token) could not be used.',
  ['channel'],
);
const CERTIFICATE_END = gauge(
  'parcela_channel_certificate_not_after_timestamp_seconds',
  'When the certificate that we show there ends.',
  ['channel'],
);

/** How a channel to another program is seen; `sentence` is for the log. */
export function observeChannel(
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  channel: string,
  sentence: string,
): Required<Pick<ChannelOptions, 'onFault' | 'onCertificate'>> {
  const faults = metrics.counter(FAULTS);
  const end = metrics.gauge(CERTIFICATE_END);
  faults.inc({ channel }, 0);
  return {
    onFault(error) {
      faults.inc({ channel });
      log.error(errorFields(error), sentence);
    },
    onCertificate(endsAt) {
      if (endsAt !== null) end.set({ channel }, endsAt.getTime() / 1_000);
    },
  };
}
