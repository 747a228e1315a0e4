import amounts from '../simulators/bank/trigger-amounts.json' with { type: 'json' };
import type { Sentence } from '../src/platform/http/sentence.ts';
import type { CatalogueTable } from '../src/platform/reference/catalogue.ts';

const TEXTS: Readonly<Record<string, Sentence>> = {
  silent: { pt: 'o banco se cala e nada registra', en: 'the bank is silent and registers nothing' },
  booksButSilent: { pt: 'registra o boleto e se cala', en: 'it registers the boleto and is silent' },
  late: {
    pt: 'registra e responde tarde demais',
    en: 'it registers the boleto and answers too late',
  },
  garbage: { pt: 'registra e responde lixo', en: 'it registers the boleto and answers garbage' },
  wrongCheckDigit: {
    pt: 'registra, e a resposta traz um código de barras com dígito verificador errado',
    en: 'it registers the boleto and answers a bar code with a wrong check digit',
  },
  wrongAmount: {
    pt: 'registra, e a resposta traz o código de barras de outro valor',
    en: 'it registers the boleto and answers a bar code of another amount',
  },
  reset: { pt: 'registra e derruba a conexão', en: 'it registers the boleto and resets the connection' },
  notFound: {
    pt: 'registra, se cala, e não o encontra nas três primeiras consultas',
    en: 'it registers the boleto, is silent, and does not find it for three look-ups',
  },
  payerRefused: { pt: 'recusado pelo pagador', en: 'refused for its payer' },
  termsRefused: { pt: 'recusado pelas condições', en: 'refused for its terms' },
  amountRefused: { pt: 'recusado pelo valor', en: 'refused for its value' },
  onDueDay: { pt: 'pago no vencimento', en: 'paid on the due day' },
  early: { pt: 'pago no dia seguinte à emissão', en: 'paid on the day after the issue' },
  late5: {
    pt: 'pago cinco dias depois do vencimento, com multa e juros',
    en: 'paid five days after the due day, with fine and interest',
  },
  part: { pt: 'metade paga no vencimento', en: 'half of it paid on the due day' },
  twice: { pt: 'pago duas vezes no vencimento', en: 'paid twice on the due day' },
  reportedTwice: {
    pt: 'pago no vencimento, e informado duas vezes',
    en: 'paid on the due day, and reported twice',
  },
};

/** A late payment is not a late answer. */
const payments = Object.entries(amounts.payments).map(
  ([digits, word]) => [digits, word === 'late' ? 'late5' : word] as const,
);

export const BOLETO_VALUES: CatalogueTable = {
  title: 'Values of boletos that make trouble',
  text:
    "The last four digits of the value in cents choose what the simulated bank does. Payments happen at 20:00 of their day by your merchant's clock, and what is " +
    'unpaid is written off in the night after its last day.',
  columns: ['The value ends in', 'What happens'],
  rows: [
    ...[...Object.entries(amounts.faults), ...Object.entries(amounts.refusals), ...payments].map(
      ([digits, word]) => [`\`${digits}\``, textOf(word)],
    ),
    [
      { pt: `\`${amounts.pixEnding}\` (dois dígitos)`, en: `\`${amounts.pixEnding}\` (two digits)` },
      { pt: 'registrado com um Pix (`pixEmv`)', en: 'registered with a Pix (`pixEmv`)' },
    ],
  ],
};

/** Throws for a word without a text: it would leave a gap in the page. */
function textOf(word: string): Sentence {
  const text = TEXTS[word];
  if (text === undefined) throw new Error(`homologation/bank-trials.ts has no words for "${word}"`);
  return text;
}
