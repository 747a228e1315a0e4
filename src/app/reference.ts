import packageJson from '../../package.json' with { type: 'json' };
import { ANTI_FRAUD } from '../antifraud/module.ts';
import { CARDS } from '../cards/module.ts';
import { MERCHANTS } from '../merchants/module.ts';
import { CARD_FIELDS } from '../payments/fields/module.ts';
import { PAYMENT_LINKS } from '../payments/links/module.ts';
import { MOVEMENTS, PAYMENTS } from '../payments/module.ts';
import type { ServedEndpoint } from '../platform/http/endpoint.ts';
import { HEALTH_ENDPOINTS } from '../platform/http/health.ts';
import { SECURITY_TEXT_ENDPOINTS } from '../platform/http/security-text.ts';
import type { Published } from '../platform/module.ts';
import {
  type CatalogueTable,
  failureTable,
  fieldTable,
  foreignFieldTable,
  NO_ANSWER_TEXT,
  refusalTable,
  synonymTable,
} from '../platform/reference/catalogue.ts';
import { DOCUMENT_ENDPOINTS } from '../platform/reference/documents.ts';
import { type ApiInfo, ROOT_URLS } from '../platform/reference/openapi.ts';
import type { Reference } from '../platform/reference/reference-page.ts';
import REFERENCE_TEXTS from '../platform/reference/texts.json' with { type: 'json' };
import { mergeTexts } from '../platform/reference/wording.ts';
import { declineCatalogue } from '../providers/acquirers/decline-catalogue.ts';
import { ISSUER_CODES } from '../providers/acquirers/module.ts';
import { RECONCILIATION } from '../reconciliation/module.ts';
import { RECURRENCE } from '../recurrence/module.ts';
import { BOLETOS } from '../transactions/methods/boleto/module.ts';
import { PIX } from '../transactions/methods/pix/module.ts';
import { PAYERS } from '../transactions/payers/module.ts';
import { WEBHOOKS } from '../webhooks/module.ts';
import { FAMILY } from './family.ts';
import { loadHomologation } from './homologation.ts';

const INFO: ApiInfo = {
  title: 'Parcela',
  version: packageJson.version,
  description: {
    pt: `Pagamentos com cartão no Brasil. Entre com o usuário e a senha que o operador lhe deu e envie o
\`accessToken\` como \`Authorization: Bearer …\` em cada chamada. Ele vale por uma hora.

Os corpos são JSON em UTF-8, de até 64 KiB. Os nomes são em camelCase; o mesmo nome com inicial maiúscula também é aceito.
\`null\` e um texto opcional em branco são o mesmo que ausente, um número não é um texto. Campos desconhecidos são ignorados, mas não
onde o esquema traz \`additionalProperties: false\`, nem os que em outros gateways mudam a cobrança; nomes repetidos, NUL e Unicode malformado são 400 onde quer que estejam. Em uma consulta, uma opção
ou um número em branco é ausente, e um texto em branco é 400. Valores de pagamentos são centavos inteiros; os de planos e cobranças são reais.

Erros são uma lista de \`{ "tag", "description" }\`, com todas as falhas da requisição de uma vez. As descrições vêm em português
do Brasil; \`Accept-Language: en\` as dá em inglês. 429 e 503 dizem em \`Retry-After\` quantos segundos esperar. Toda resposta
traz um \`X-Request-Id\`: informe-o quando perguntar por uma requisição.

${NO_ANSWER_TEXT.pt}`,
    en: `Card payments for Brazil. Log in with the user name and password that the operator gave you, and send
the \`accessToken\` as \`Authorization: Bearer …\` with every call. It lives for one hour.

Bodies are JSON in UTF-8, at most 64 KiB. Names are camelCase; the same name with a capital first letter is taken too.
\`null\` and a blank optional text mean absent, a number is not a string. Unknown fields are ignored, but not where the
schema has \`additionalProperties: false\`, nor those that change a charge at other gateways; a name sent twice, NUL and malformed Unicode are 400 wherever they stand. In a query an empty choice or
number is absent, and an empty text is 400. Amounts of payments are whole cents, those of plans and billings are reais.

Errors are an array of \`{ "tag", "description" }\`, all faults of a request at once. Descriptions are in Brazilian
Portuguese; \`Accept-Language: en\` gives English. 429 and 503 say in \`Retry-After\` how many seconds to wait. Every
answer carries an \`X-Request-Id\`: name it when you ask about a request.

${NO_ANSWER_TEXT.en}`,
  },
};

const GROUPS: Readonly<Record<string, string>> = {
  Login:
    'An access token for an hour, by user name and password; the gateway and the other APIs have their own.',
  Cards: 'Cards become tokens that pay once: by their number, or encrypted in the browser of the buyer.',
  'Card vault': 'Cards that are kept to be charged again, under a `vaultId`.',
  'Anti-fraud': 'Names the visit of a buyer, by which a sale is judged.',
  Payments: 'Charges, captures and cancels of cards, and every payment of any method as it stands.',
  'Issuer codes': 'What the codes of declines mean, for buyers and for you.',
  Plans: 'What you offer: so much, every so many days.',
  Subscriptions: 'Who is enrolled in a plan, and pays with which stored card.',
  Billings: 'What subscriptions owe for each due day, and how it was collected.',
  Notices: 'Where you are notified of what happens to subscriptions.',
  Boletos: 'Bills that a bank registers, with a page to print.',
  Pix: 'Charges that a payer pays by Pix at once or until a due day, and what is given back of them.',
  'Payment links': 'Pages of ours where a buyer pays once: no card number ever meets your server.',
  Webhooks: 'Where you are notified of movements, what was sent there, and sending it again.',
  Reconciliation: 'What the acquirer owes and has paid, and where its files differ from that.',
  Homologation: 'What only time, acquirer and bank make happen in production, done now.',
  Operations: 'Whether the service works, and its description.',
  'What is sent to you': 'The messages that your server is sent; answer them with 200.',
};

const WANTED_BY_SETTING: Published['endpoints'] = [...DOCUMENT_ENDPOINTS, ...SECURITY_TEXT_ENDPOINTS];

/**
 * The source of `/openapi.json` and `/docs`. Production has nothing of homologation. `wanted`: optional
 * endpoints.
 */
export async function referenceOf(
  environment: 'homologation' | 'production',
  serverUrls = ROOT_URLS,
  wanted = WANTED_BY_SETTING,
): Promise<Reference> {
  const modules: Published[] = [
    MERCHANTS,
    CARDS,
    ANTI_FRAUD,
    PAYMENTS,
    PIX,
    PAYERS,
    PAYMENT_LINKS,
    CARD_FIELDS,
    ISSUER_CODES,
    RECURRENCE,
    BOLETOS,
    WEBHOOKS,
    MOVEMENTS,
    RECONCILIATION,
  ];
  if (environment === 'homologation') modules.push((await loadHomologation(environment)).HOMOLOGATION);
  modules.push({ endpoints: [...HEALTH_ENDPOINTS, ...wanted], refusals: [] });
  return {
    info: INFO,
    groups: GROUPS,
    endpoints: modules.flatMap(({ endpoints }) => endpoints.map(({ contract }) => contract)),
    messages: modules.flatMap(({ messages = [] }) => messages),
    trials: modules.flatMap(({ tables = [] }) => tables),
    texts: mergeTexts([
      REFERENCE_TEXTS,
      ...modules.flatMap(({ texts }) => (texts === undefined ? [] : [texts])),
    ]),
    catalogue: () => errorCatalogue(modules),
    serverUrls,
  };
}

function errorCatalogue(modules: readonly Published[]): CatalogueTable[] {
  const inOrder = [...modules.filter((module) => module !== WEBHOOKS), WEBHOOKS];
  return [
    failureTable(),
    fieldTable(),
    foreignFieldTable(),
    synonymTable(
      FAMILY,
      modules.flatMap(({ endpoints }) => endpoints.map(({ contract }) => contract)),
    ),
    ...inOrder.flatMap(({ refusals }) =>
      refusals.map((table) => refusalTable(table.title, table.text, table.refusals)),
    ),
    ...declineCatalogue(),
  ];
}

/** Served and published endpoints must be equal. A difference is our bug, and ends the start. */
export function checkAllDescribed(served: readonly ServedEndpoint[], { endpoints }: Reference): void {
  const ids = new Set(served.map(({ contract }) => contract.id));
  for (const { id } of endpoints) {
    if (!ids.delete(id)) throw new Error(`the endpoint ${id} is published but not served`);
  }
  if (ids.size > 0) throw new Error(`the endpoints ${[...ids]} are served but not published`);
}
