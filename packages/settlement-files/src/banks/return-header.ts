export const BANK_OF_240 = [0, 3] as const;
export const BANK_OF_400 = [76, 79] as const;

export function isReturnHeader(line: string): boolean {
  return is240(line) || is400(line);
}

export function is240(line: string): boolean {
  return /^\d{3}00000/.test(line) && !/^0{3}/.test(line);
}

export function is400(line: string): boolean {
  return /^0[12](?:RETORNO|REMESSA)/.test(line);
}
