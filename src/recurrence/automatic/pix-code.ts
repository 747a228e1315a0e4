/** Why a payer's bank did not pay, by the central bank's codes. */
const MEANINGS: Readonly<Record<string, string>> = {
  AB10: 'Erro na instituição do pagador',
  AC05: 'Conta do pagador encerrada',
  AC06: 'Conta do pagador bloqueada',
  AM02: 'Valor acima do limite definido pelo pagador',
  AM09: 'Valor diferente do autorizado',
  DENC: 'Agendamento cancelado pelo pagador',
  DS27: 'Pagador não reconhecido pela instituição',
  DTED: 'Data da cobrança fora da autorização',
  FBRD: 'Pagamento rejeitado por suspeita de fraude',
  MIDI: 'Autorização inexistente na instituição do pagador',
  MSUC: 'Ciclo já cobrado',
  NITX: 'Cobrança não reconhecida pela instituição do pagador',
};

export function meaningOfPixCode(code: string | null, otherwise: string): string {
  return (code === null ? undefined : MEANINGS[code]) ?? otherwise;
}
