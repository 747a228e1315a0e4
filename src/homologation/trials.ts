import type { CatalogueTable } from '../platform/reference/catalogue.ts';

const declines = (times: number, code: string) => ({
  pt: `recusa ${times} ${times === 1 ? 'vez' : 'vezes'} com \`${code}\`, depois aprova`,
  en: `declines ${times} ${times === 1 ? 'time' : 'times'} with \`${code}\`, then approves`,
});
const approvesOnce = (code: string) => ({
  pt: `aprova uma vez, depois recusa com ${code}`,
  en: `approves once, then declines with ${code}`,
});
const always = (code: string, advice: string) => ({
  pt: `recusa sempre com \`${code}\` e orientação \`${advice}\``,
  en: `always declines with \`${code}\` and advice \`${advice}\``,
});

const AMOUNTS: CatalogueTable = {
  title: 'Amounts that make trouble',
  text:
    'The last four digits of the amount in cents choose what the simulated acquirer does. After 1001 to 1004 the answer is 500, and within ' +
    'a minute what was booked is voided.',
  columns: ['The amount ends in', 'What happens'],
  rows: [
    [
      { pt: '`10xx`, xx a partir de 05', en: '`10xx`, xx from 05' },
      {
        pt: 'recusado com o significado do código ABECS xx, no código da bandeira: `1051` saldo, `1054` vencido, `1041` perdido',
        en: "declined with the meaning of ABECS code xx, in the brand's own code: `1051` funds, `1054` expired, `1041` lost",
      },
    ],
    [
      '`1001`',
      { pt: 'o adquirente se cala e nada registra', en: 'the acquirer is silent and books nothing' },
    ],
    ['`1002`', { pt: 'registra a cobrança e se cala', en: 'it books the charge and is silent' }],
    ['`1003`', { pt: 'registra e responde tarde demais', en: 'it books the charge and answers too late' }],
    ['`1004`', { pt: 'registra e responde lixo', en: 'it books the charge and answers garbage' }],
    [
      { pt: 'qualquer outro', en: 'anything else' },
      { pt: 'aprovado', en: 'approved' },
    ],
  ],
};

const CARDS: CatalogueTable = {
  title: 'Cards with a behaviour of their own',
  text: 'Counted for each merchant over all charges of the card. Any other number that is a valid card is approved, unless its amount decides.',
  columns: ['Number', 'What happens'],
  rows: [
    ['`4000050000000114`', declines(1, '51')],
    ['`4000050000000122`', declines(2, '51')],
    ['`4000050000000130`', declines(3, '51')],
    ['`4000050000000148`', declines(4, '51')],
    ['`4000050000000155`', declines(5, '51')],
    ['`5200050000000168`', declines(1, '51')],
    ['`5200050000000176`', declines(2, '51')],
    ['`5200050000000184`', declines(3, '51')],
    ['`5200050000000192`', declines(4, '51')],
    ['`5200050000000200`', declines(5, '51')],
    ['`370005000000217`', declines(2, '116')],
    ['`6363680000000221`', declines(2, '51')],
    ['`4000050000000239`', approvesOnce('`41`')],
    ['`5200050000000242`', approvesOnce('`41`, `03`')],
    ['`370005000000258`', approvesOnce('`200`')],
    ['`5200050000000267`', always('79', '03')],
    ['`5200050000000275`', always('51', '03')],
    ['`5200050000000283`', always('79', '21')],
    ['`5200050000000291`', always('51', '02')],
    ['`5200050000000309`', always('51', '24')],
    ['`5200050000000317`', always('51', '26')],
    ['`5200050000000325`', always('51', '29')],
    ['`5200050000000333`', always('51', '40')],
  ],
};

const TRIAL_CARDS: CatalogueTable = {
  title: 'Trial cards for the limits of the networks',
  text:
    'In homologation the limits hold for these cards only: a hundred numbers begin with each of the digits, and when one is used up the next ' +
    'is free.',
  columns: ['Number', 'After', 'The next try gets 402, tag `retryLimit`'],
  rows: [
    [
      '`4000059000000008`, `4000059000000016` …',
      { pt: '20 recusas de um valor, como `1051`', en: '20 declines of one amount, such as `1051`' },
      { pt: 'para este valor, até 30 dias passarem', en: 'for this amount, until 30 days passed' },
    ],
    [
      '`5200059000000003`, `5200059000000011` …',
      { pt: '7 recusas de quaisquer valores', en: '7 declines of any amounts' },
      { pt: 'para todo valor, até um dia passar', en: 'for every amount, until a day passed' },
    ],
    [
      '`6363689000000008`, `6363689000000016` …',
      { pt: '15 recusas de um valor, como `1051`', en: '15 declines of one amount, such as `1051`' },
      { pt: 'para este valor, até 30 dias passarem', en: 'for this amount, until 30 days passed' },
    ],
    [
      '`5200059000000953`, `5200059000000961`, `5200059000000979`, `5200059000000987`, `5200059000000995`',
      {
        pt: 'uma aprovação, e depois qualquer valor (`41`, `03`)',
        en: 'one approval, and then any amount (`41`, `03`)',
      },
      { pt: 'para todo valor', en: 'for every amount' },
    ],
  ],
};

const E_MAILS: CatalogueTable = {
  title: 'E-mails that anti-fraud knows',
  text: '`customer.email` of a payment.',
  columns: ['E-mail', 'What happens'],
  rows: [
    ['`reject@test.com`', { pt: 'rejeitado: 402, tag `antifraud`', en: 'rejected: 402, tag `antifraud`' }],
    ['`review@test.com`', { pt: 'cobrado, e marcado com `review`', en: 'charged, and marked with `review`' }],
  ],
};

/** What makes happen in homologation what seldom does; a test holds it against simulator and rules. */
export const TRIALS: readonly CatalogueTable[] = [AMOUNTS, CARDS, TRIAL_CARDS, E_MAILS];
