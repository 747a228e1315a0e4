import type { FieldReader } from '../kit/field-reader.ts';
import { readPerson, withoutNulls } from './charge-content.ts';
import { readDay, readMoment } from './moments.ts';
import { AMOUNT } from './money.ts';

export const PERIODS = ['SEMANAL', 'MENSAL', 'TRIMESTRAL', 'SEMESTRAL', 'ANUAL'] as const;
export type Period = (typeof PERIODS)[number];
export const RETRIES = ['NAO_PERMITE', 'PERMITE_3R_7D'] as const;
export const REC_ID = /^R[RN][A-Z0-9]{8}\d{8}[a-zA-Z0-9]{11}$/;
const ACCOUNTS = ['CORRENTE', 'POUPANCA', 'PAGAMENTO'] as const;
const TXID = /^[a-zA-Z0-9]{26,35}$/;

/** What a payer is asked to agree to, as the standard writes it. */
export type RecContent = {
  readonly vinculo: {
    readonly contrato: string;
    readonly objeto?: string;
    readonly devedor: Readonly<Record<string, string>>;
  };
  readonly calendario: {
    readonly dataInicial: string;
    readonly dataFinal?: string;
    readonly periodicidade: Period;
  };
  readonly valor?: { readonly valorRec?: string; readonly valorMinimoRecebedor?: string };
  readonly politicaRetentativa: (typeof RETRIES)[number];
  readonly recebedor?: { readonly convenio: string };
  /** The id of a location. */
  readonly loc?: number;
  readonly ativacao?: { readonly dadosJornada: { readonly txid: string } };
};

export function readRecContent(fields: FieldReader): RecContent {
  return withoutNulls({
    vinculo: fields.object('vinculo', (link) =>
      withoutNulls({
        contrato: link.text('contrato', /^.{1,35}$/su),
        objeto: link.textOrNull('objeto', /^.{1,35}$/su),
        devedor: link.object('devedor', (payer) => readPerson(payer, 140)),
      }),
    ),
    calendario: fields.object('calendario', (calendar) =>
      withoutNulls({
        dataInicial: readDay(calendar, 'dataInicial'),
        dataFinal: calendar.textOrNull('dataFinal', /./) === null ? null : readDay(calendar, 'dataFinal'),
        periodicidade: calendar.word('periodicidade', PERIODS),
      }),
    ),
    valor: fields.objectOrNull('valor', (amount) =>
      withoutNulls({
        valorRec: amount.textOrNull('valorRec', AMOUNT),
        valorMinimoRecebedor: amount.textOrNull('valorMinimoRecebedor', AMOUNT),
      }),
    ),
    politicaRetentativa: fields.word('politicaRetentativa', RETRIES),
    recebedor: fields.objectOrNull('recebedor', (receiver) =>
      withoutNulls({ convenio: receiver.textOrNull('convenio', /^.{1,60}$/su) }),
    ),
    loc: fields.integerOrNull('loc', 0, Number.MAX_SAFE_INTEGER),
    ativacao: fields.objectOrNull('ativacao', (activation) => ({
      dadosJornada: activation.object('dadosJornada', (journey) => ({ txid: journey.text('txid', TXID) })),
    })),
  }) as RecContent;
}

export type SolicRecContent = {
  readonly idRec: string;
  readonly calendario: { readonly dataExpiracaoSolicitacao: string };
  readonly destinatario: Readonly<Record<string, string>>;
};

export function readSolicRecContent(fields: FieldReader): SolicRecContent {
  return {
    idRec: fields.text('idRec', REC_ID),
    calendario: fields.object('calendario', (calendar) => ({
      dataExpiracaoSolicitacao: new Date(readMoment(calendar, 'dataExpiracaoSolicitacao')).toISOString(),
    })),
    destinatario: fields.object('destinatario', readRecipient),
  };
}

function readRecipient(fields: FieldReader): Record<string, string> {
  const cpf = fields.textOrNull('cpf', /^\d{11}$/);
  const cnpj = fields.textOrNull('cnpj', /^[0-9A-Z]{12}\d{2}$/);
  if ((cpf === null) === (cnpj === null)) fields.refuse('cpf');
  return withoutNulls({
    ...{ cpf, cnpj },
    conta: fields.text('conta', /^.{1,20}$/su),
    agencia: fields.textOrNull('agencia', /^.{1,4}$/su),
    ispbParticipante: fields.text('ispbParticipante', /^[0-9A-Z]{8}$/),
  }) as Record<string, string>;
}

export type CobRContent = {
  readonly idRec: string;
  readonly infoAdicional?: string;
  readonly calendario: { readonly dataDeVencimento: string };
  readonly valor: { readonly original: string };
  readonly ajusteDiaUtil: boolean;
  readonly recebedor: Readonly<Record<string, string>>;
  readonly devedor?: Readonly<Record<string, string>>;
};

export function readCobRContent(fields: FieldReader): CobRContent {
  return withoutNulls({
    idRec: fields.text('idRec', REC_ID),
    infoAdicional: fields.textOrNull('infoAdicional', /^.{0,140}$/su),
    calendario: fields.object('calendario', (calendar) => ({
      dataDeVencimento: readDay(calendar, 'dataDeVencimento'),
    })),
    valor: fields.object('valor', (amount) => ({ original: amount.text('original', AMOUNT) })),
    ajusteDiaUtil: fields.booleanOr('ajusteDiaUtil', true),
    recebedor: fields.object('recebedor', (account) =>
      withoutNulls({
        agencia: account.textOrNull('agencia', /^.{1,4}$/su),
        conta: account.text('conta', /^.{1,20}$/su),
        tipoConta: account.word('tipoConta', ACCOUNTS),
      }),
    ),
    devedor: fields.objectOrNull('devedor', (payer) =>
      withoutNulls({
        email: payer.textOrNull('email', /^.{1,200}$/su),
        logradouro: payer.textOrNull('logradouro', /^.{1,200}$/su),
        cidade: payer.textOrNull('cidade', /^.{1,200}$/su),
        uf: payer.textOrNull('uf', /^[A-Z]{2}$/),
        cep: payer.textOrNull('cep', /^\d{8}$/),
      }),
    ),
  }) as CobRContent;
}
