import { type Charge, contentOf, type Pix, type Refund, type Webhook } from './books.ts';
import { writeBrCode } from './br-code.ts';
import { withoutNulls } from './charge-content.ts';
import { reaisOf } from './money.ts';

/** Who receives: the same of every client. */
export const RECEIVER = {
  cnpj: '11222333000181',
  nome: 'Parcela Simulada SA',
  logradouro: 'Rua das Flores, 100',
  cidade: 'São Paulo',
  uf: 'SP',
  cep: '01001000',
};

export function instantOf(at: number): string {
  return new Date(at).toISOString();
}

/** A charge as it is answered; `revision` null: the last. */
export function chargeShape(charge: Charge, revision: number | null = null): Record<string, unknown> {
  const { kind, txid, createdAt, location, locationId, status, contents } = charge;
  const { calendario, ...content } = (revision === null ? null : contents[revision]) ?? contentOf(charge);
  return {
    calendario: { criacao: instantOf(createdAt), ...calendario },
    ...{ txid, revisao: revision ?? contents.length - 1, location, status },
    loc: { id: locationId, txid, location, tipoCob: kind, criacao: instantOf(createdAt) },
    ...content,
    ...(kind === 'cobv' ? { recebedor: RECEIVER } : {}),
    pixCopiaECola: codeOf(charge),
  };
}

/** With what was paid for it. */
export function wholeChargeShape(charge: Charge, revision: number | null = null): Record<string, unknown> {
  const shape = chargeShape(charge, revision);
  return charge.pix.length === 0 ? shape : { ...shape, pix: charge.pix.map(pixShape) };
}

function codeOf({ location }: Charge): string {
  return writeBrCode({ account: { url: location }, name: RECEIVER.nome, city: RECEIVER.cidade });
}

export function pixShape(pix: Pix): Record<string, unknown> {
  const { endToEndId, txid, chave, amount, components, happenedAt, infoPagador, refunds } = pix;
  const parts = Object.entries(components).map(([name, cents]) => [name, { valor: reaisOf(cents) }]);
  return withoutNulls({
    ...{ endToEndId, txid, valor: reaisOf(amount), componentesValor: Object.fromEntries(parts), chave },
    horario: instantOf(happenedAt),
    infoPagador,
    devolucoes: refunds.size === 0 ? null : [...refunds.values()].map(refundShape),
  });
}

export function refundShape({
  id,
  rtrId,
  amount,
  natureza,
  descricao,
  at,
  end,
}: Refund): Record<string, unknown> {
  const isDone = end?.status === 'DEVOLVIDO';
  return withoutNulls({
    ...{ id, rtrId, valor: reaisOf(amount), natureza, descricao },
    horario: { solicitacao: instantOf(at), ...(isDone ? { liquidacao: instantOf(end.at) } : {}) },
    status: end?.status ?? 'EM_PROCESSAMENTO',
    motivo: end?.motivo ?? null,
  });
}

export function webhookShape({ chave, url, createdAt }: Webhook): object {
  return { webhookUrl: url, chave, cnpj: RECEIVER.cnpj, criacao: instantOf(createdAt) };
}
