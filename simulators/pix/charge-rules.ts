import type { Violation } from './answers.ts';
import type { ChargeContent, ChargeKind } from './charge-content.ts';
import { centsOf } from './money.ts';

const WHOLE_PERCENT = 10_000;

/** What no bank takes, though every field has its form; null: nothing. `today`: of the creation. */
export function contentViolation(kind: ChargeKind, content: ChargeContent, today: string): Violation | null {
  const { expiracao, validadeAposVencimento, dataDeVencimento } = content.calendario;
  const { original, modalidadeAlteracao } = content.valor;
  const say = (field: string, what: string): Violation => {
    const propriedade = `${kind}.${field}`;
    return { razao: `O campo ${propriedade} ${what}.`, propriedade };
  };
  if (expiracao !== undefined && expiracao <= 0)
    return say('calendario.expiracao', 'é igual ou menor que zero');
  if (validadeAposVencimento !== undefined && validadeAposVencimento < 0)
    return say('calendario.validadeAposVencimento', 'é menor do que zero');
  if (dataDeVencimento !== undefined && dataDeVencimento < today)
    return say('calendario.dataDeVencimento', 'é anterior à data de criação da cobrança');
  if (centsOf(original) === 0 && modalidadeAlteracao !== 1) return say('valor.original', 'é zero');
  return reductionViolation(content);
}

/** Of what makes a charge with a due day cheaper. */
function reductionViolation({ calendario, valor }: ChargeContent): Violation | null {
  const { abatimento, desconto, original } = valor;
  const say = (name: 'abatimento' | 'desconto', what: string): Violation => {
    const propriedade = `cobv.valor.${name}`;
    return { razao: `O objeto ${propriedade} ${what}.`, propriedade };
  };
  const isWhole = (isPercent: boolean, amount: string) =>
    centsOf(amount) >= (isPercent ? WHOLE_PERCENT : centsOf(original));
  const tooMuch = 'representa um valor maior ou igual ao valor da cobrança original ou maior ou igual a 100%';
  if (abatimento !== undefined && isWhole(abatimento.modalidade === 2, abatimento.valorPerc))
    return say('abatimento', tooMuch);
  if (desconto === undefined) return null;
  const { modalidade, descontoDataFixa, valorPerc } = desconto;
  const isByDays = modalidade >= 3;
  if (isByDays && valorPerc === undefined) return say('desconto', 'não apresenta valorPerc');
  if (isByDays && descontoDataFixa !== undefined) return say('desconto', 'apresenta descontoDataFixa');
  if (!isByDays && valorPerc !== undefined) return say('desconto', 'apresenta valorPerc');
  if (!isByDays && descontoDataFixa === undefined) return say('desconto', 'não apresenta descontoDataFixa');
  const amounts = descontoDataFixa?.map((fixed) => fixed.valorPerc) ?? [valorPerc ?? '0.00'];
  if (amounts.some((amount) => isWhole([2, 5, 6].includes(modalidade), amount)))
    return say('desconto', tooMuch);
  const isLate = descontoDataFixa?.some(({ data }) => data > (calendario.dataDeVencimento ?? data)) ?? false;
  return isLate ? say('desconto', 'apresenta uma data posterior à data de vencimento') : null;
}
