import { expect, expectAnswer, type Form, fieldOf, orAbsent } from '../point.ts';
import type { AcquirerPoint, Bench } from './bench.ts';

const FLAG: Form = { form: 'true or false', isFit: (value) => typeof value === 'boolean' };
const numberTo = (most: number): Form => ({
  form: `an integer of 1 to ${most}`,
  isFit: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most,
});
const BRANDS: Form = {
  form: 'a list with a brand of 1.5',
  isFit: (value) =>
    Array.isArray(value) && value.some((brand) => /^(visa|mastercard|amex|elo|hipercard)$/.test(brand)),
};

const CAPABILITIES: Readonly<Record<string, Form>> = {
  largestInstallments: numberTo(99),
  brands: BRANDS,
  captureLater: FLAG,
  partialCancel: FLAG,
  zeroVerification: FLAG,
  threeDSecure: FLAG,
  longestReference: numberTo(64),
  lookUpDays: numberTo(36_500),
  customer: FLAG,
  listCharges: FLAG,
};

/** What the bridge says that its acquirer can do. */
export async function capabilitiesOf({ bridge }: Bench): Promise<Readonly<Record<string, unknown>>> {
  return Object(fieldOf(await bridge.get('/about'), 'capabilities')) as Record<string, unknown>;
}

export const ABOUT_POINTS: readonly AcquirerPoint[] = [
  {
    paragraph: '1.4',
    sentence: 'it says what it is, and speaks protocol 1',
    async run({ bridge }) {
      const isText = (value: unknown) => typeof value === 'string' && value !== '';
      const name = { form: 'text', isFit: isText };
      expectAnswer(await bridge.get('/about'), 200, { name, simulator: FLAG, protocol: 1 });
    },
  },
  {
    paragraph: '1.4',
    sentence: 'it reports what its acquirer can do',
    async run(bench) {
      const about = await bench.bridge.get('/about');
      const capabilities = Object(fieldOf(about, 'capabilities')) as Record<string, unknown>;
      for (const [name, form] of Object.entries(CAPABILITIES)) {
        const { isFit, form: words } = orAbsent(form);
        expect(isFit(capabilities[name]), `capabilities.${name}: ${words}`, about);
      }
    },
  },
];
