import type { UnclearCause } from '../../platform/channels/unclear.ts';
import type { OutageWatch } from '../../platform/work/outage-watch.ts';
import type { PixBanks } from '../../providers/open-pix-banks.ts';
import { PIX_PORT } from '../../providers/pix/open-pix-bank.ts';

type Answer = { readonly kind: string; readonly cause?: UnclearCause };

/** Every answer, or its absence, tells whether its bank is away. */
export function openObservedBanks(pixBanks: PixBanks, outage: OutageWatch): Pick<PixBanks, 'of' | 'choose'> {
  return {
    choose: (sale, takes) => pixBanks.choose(sale, takes),
    of: (provider) =>
      PIX_PORT.observed(pixBanks.of(provider), (asked, answer) => {
        const { merchantId } = asked as { readonly merchantId: string };
        const { cause } = answer as Answer;
        if (cause !== 'notAsked') outage.observe(cause !== 'silent', { merchantId, provider });
      }),
  };
}
