import { FieldReader } from '../kit/field-reader.ts';
import { ok, problem, schemaViolation, violated } from './answers.ts';
import type { Act } from './call.ts';
import { KEY, LONGEST_KEY } from './charge-content.ts';
import { pageAnswer, readListQuery } from './lists.ts';
import { instantOf, webhookShape } from './shapes.ts';

export const putWebhook: Act = ({ bank, receiver, names, body }) => {
  const chave = names[0] ?? '';
  const say = (propriedade: string, razao: string) =>
    violated('WebhookOperacaoInvalida', { razao, propriedade });
  if (!KEY.test(chave) || chave.length > LONGEST_KEY)
    return say('chave', 'O parâmetro chave não corresponde a uma chave DICT válida.');
  const owner = bank.books.ownerOfKey(chave);
  if (owner !== null && owner !== receiver.clientId)
    return say('chave', 'O parâmetro chave não corresponde a uma chave DICT deste usuário recebedor.');
  const url = readWebhookUrl(body);
  if (url === null) return violated('WebhookOperacaoInvalida', schemaViolation('webhook', 'webhookUrl'));
  bank.book(receiver, { type: 'webhook', chave, url });
  return ok(null);
};

export const getWebhook: Act = ({ receiver, names }) => {
  const webhook = receiver.webhooks.get(names[0] ?? '');
  return webhook === undefined ? problem('WebhookNaoEncontrado') : ok(webhookShape(webhook));
};

export const deleteWebhook: Act = ({ bank, receiver, names }) => {
  const chave = names[0] ?? '';
  if (!receiver.webhooks.has(chave)) return problem('WebhookNaoEncontrado');
  bank.book(receiver, { type: 'webhook', chave, url: null });
  return { status: 204, body: null };
};

export const listWebhooks: Act = ({ receiver, query }) => {
  const given = {
    type: 'WebhookConsultaInvalida',
    entity: 'webhook',
    most: receiver.dialect.mostItems,
    isBounded: false,
  } as const;
  const asked = readListQuery(query, given);
  if ('status' in asked) return asked;
  const items = [...receiver.webhooks.values()].filter(
    ({ createdAt }) => createdAt >= asked.from && createdAt <= asked.to,
  );
  return pageAnswer(asked, { name: 'webhooks', items, shape: webhookShape, filters: {} });
};

/** Of authorizations or of recurring charges: one for all of a receiver. */
export function putOwnWebhook(of: 'rec' | 'cobr'): Act {
  return ({ bank, receiver, body }) => {
    const url = readWebhookUrl(body);
    const type = of === 'rec' ? 'WebhookRecOperacaoInvalida' : 'WebhookCobROperacaoInvalida';
    if (url === null) return violated(type, schemaViolation(`webhook${of}`, 'webhookUrl'));
    bank.book(receiver, { type: 'ownWebhook', of, url });
    return ok(null);
  };
}

export function getOwnWebhook(of: 'rec' | 'cobr'): Act {
  return ({ receiver }) => {
    const webhook = receiver.recurrences.webhooks.get(of);
    if (webhook === undefined) return problem('NaoEncontrado');
    return ok({ webhookUrl: webhook.url, criacao: instantOf(webhook.createdAt) });
  };
}

export function deleteOwnWebhook(of: 'rec' | 'cobr'): Act {
  return ({ bank, receiver }) => {
    if (!receiver.recurrences.webhooks.has(of)) return problem('NaoEncontrado');
    bank.book(receiver, { type: 'ownWebhook', of, url: null });
    return { status: 204, body: null };
  };
}

/** Without the slash at its end; null: it is no address. */
function readWebhookUrl(body: unknown): string | null {
  const fields = new FieldReader(body);
  const url = fields.text('webhookUrl', /^https?:\/\/[^\s]{1,500}$/);
  if (fields.fault !== null || !URL.canParse(url)) return null;
  return url.replace(/\/$/, '');
}
