import { controlFault, fieldSentence } from '../records/faults.ts';
import type { FaultOfField } from '../records/fixed-width.ts';
import type { Sentence } from '../sentence.ts';
import { type ReturnFileFault, ReturnFileRefused } from './return-entry.ts';

const PLAIN: Partial<Record<ReturnFileFault, Sentence>> = {
  tooManyLines: { pt: 'O arquivo tem linhas demais.', en: 'The file has too many lines.' },
  emptyFile: { pt: 'O arquivo está vazio.', en: 'The file is empty.' },
  unexpectedRecord: {
    pt: 'Este registro não pode estar aqui: falta uma linha antes dele, ou ele está repetido.',
    en: 'This record must not stand here: a line is missing before it, or it is there twice.',
  },
  unpaired: {
    pt: 'Há um segmento T sem o seu U, ou um U sem o seu T.',
    en: 'There is a segment T without its U, or a U without its T.',
  },
  noTrailer: {
    pt: 'O arquivo acaba sem o trailer: veio cortado. Baixe-o de novo do banco.',
    en: 'The file ends without its trailer: it was cut. Fetch it again from the bank.',
  },
  behindTrailer: { pt: 'Há uma linha depois do trailer.', en: 'There is a line behind the trailer.' },
  notAReturnFile: {
    pt: 'O arquivo não é um retorno de cobrança em CNAB 240 ou CNAB 400.',
    en: 'The file is no return file of collection in CNAB 240 or CNAB 400.',
  },
};

export function refused(lineNumber: number, fault: ReturnFileFault): ReturnFileRefused {
  return new ReturnFileRefused(lineNumber, fault, PLAIN[fault] as Sentence);
}

export function refusedField(lineNumber: number, field: FaultOfField): ReturnFileRefused {
  return new ReturnFileRefused(lineNumber, 'field', fieldSentence(field), field);
}

export function refuseControl(lineNumber: number, line: string): void {
  const fault = controlFault(line);
  if (fault !== null) throw new ReturnFileRefused(lineNumber, 'unreadable', fault);
}

const COLLECTED_BILLS: Sentence = {
  pt: 'O arquivo é de arrecadação ou débito automático (FEBRABAN 150), que ainda não é lido.',
  en: 'The file is one of collected bills or direct debit (FEBRABAN 150), which is not read yet.',
};

export function refusedCollectedBills(): ReturnFileRefused {
  return new ReturnFileRefused(1, 'notAReturnFile', COLLECTED_BILLS);
}

const SENT_TO_BANK: Sentence = {
  pt: 'O arquivo é uma remessa, que se envia ao banco, e não o retorno do banco.',
  en: 'The file is one that is sent to the bank, and not a return file.',
};

export function refusedRemittance(): ReturnFileRefused {
  return new ReturnFileRefused(1, 'notAReturnFile', SENT_TO_BANK);
}

const PRE_CHECK: Sentence = {
  pt: 'O arquivo é a pré-crítica: diz se o banco aceitou a remessa, e não o que houve com os boletos.',
  en: 'The file says whether the bank accepted a remessa (pré-crítica), and not what became of boletos.',
};

export function refusedPreCheck(): ReturnFileRefused {
  return new ReturnFileRefused(1, 'notAReturnFile', PRE_CHECK);
}

export function refusedAcquirersFile(title: string): ReturnFileRefused {
  return new ReturnFileRefused(1, 'notAReturnFile', {
    pt: `O arquivo é da adquirente (${title}), e não de um banco.`,
    en: `The file is an acquirer's (${title}), and not a bank's.`,
  });
}

export function refusedBank(format: string, bank: string): ReturnFileRefused {
  return new ReturnFileRefused(1, 'otherBank', {
    pt: `O arquivo é um retorno ${format} do banco ${bank}, cujo leiaute ainda não é lido.`,
    en: `The file is a ${format} return file of bank ${bank}, whose layout is not read yet.`,
  });
}

export function refusedService(lineNumber: number, service: string): ReturnFileRefused {
  return new ReturnFileRefused(lineNumber, 'otherService', {
    pt: `O lote é de outro serviço do banco (${service}), como pagamentos ou extrato, e não de cobrança (T01).`,
    en: `The lot is of another service of the bank (${service}), as payments or a statement, and not of collection (T01).`,
  });
}

export function refusedLength(lineNumber: number, found: number, length: number): ReturnFileRefused {
  return new ReturnFileRefused(lineNumber, 'lineLength', {
    pt: `A linha tem ${found} posições, e não ${length}.`,
    en: `The line has ${found} positions, and not ${length}.`,
  });
}

/** Whole numbers that disagree, or texts of a few characters. */
export function refusedNumber(
  lineNumber: number,
  fault: ReturnFileFault,
  what: Sentence,
  stated: number | string,
  found: number | string,
): ReturnFileRefused {
  return new ReturnFileRefused(lineNumber, fault, {
    pt: `${what.pt}: a linha diz ${stated}, e deveria dizer ${found}.`,
    en: `${what.en}: the line says ${stated}, and it should be ${found}.`,
  });
}

export const BANK_OF_LINE: Sentence = { pt: 'Banco', en: 'Bank' };
export const KIND_OF_FILE: Sentence = {
  pt: 'Tipo do arquivo (posição 143)',
  en: 'Kind of file (position 143)',
};
export const NUMBER_OF_LOT: Sentence = { pt: 'Número do lote', en: 'Number of the lot' };
export const NUMBER_OF_RECORD: Sentence = {
  pt: 'Número do registro: falta uma linha, ou há uma repetida ou trocada',
  en: 'Number of the record: a line is missing, there twice, or out of place',
};
export const MOVEMENT_OF_PAIR: Sentence = {
  pt: 'Movimento do segmento U',
  en: 'Movement of segment U',
};
export const RECORDS_OF_LOT: Sentence = { pt: 'Registros do lote', en: 'Records of the lot' };
export const LOTS_OF_FILE: Sentence = { pt: 'Lotes do arquivo', en: 'Lots of the file' };
export const RECORDS_OF_FILE: Sentence = { pt: 'Registros do arquivo', en: 'Records of the file' };
export const PAYMENTS_OF_LOT: Sentence = { pt: 'Liquidações do lote', en: 'Payments of the lot' };
