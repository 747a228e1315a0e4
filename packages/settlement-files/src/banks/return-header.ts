export const BANK_OF_240 = [0, 3] as const;
export const BANK_OF_400 = [76, 79] as const;

export function isReturnHeader(line: string): boolean {
  return is240(line) || is400(line);
}

/** Without its header a CNAB 400 may begin as the header of a CNAB 240 does: with zeros behind its type. */
const NUMBERED_400 = /^.{394}\d{6} *(?:[\r\n]|$)/;

export function is240(line: string): boolean {
  return /^\d{3}00000/.test(line) && !/^0{3}/.test(line) && !NUMBERED_400.test(line);
}

export function is400(line: string): boolean {
  return /^0[12](?:RETORNO|REMESSA)/.test(line);
}
