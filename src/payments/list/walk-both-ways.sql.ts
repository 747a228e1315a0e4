import { type Statement, statement } from '../../platform/postgres/database.ts';

/** Payments of all methods, read from one to the next in the order of time. */
export type WalkParts = {
  /** The prefix of its statements' names. */
  readonly name: string;
  /**
   * Selects `sold_at`, `payment_id` and `method`. `{card}`, `{pix}` and `{boleto}` are replaced by the range
   * after the last row, `{order}` by the order and the limit.
   */
  readonly keys: string;
  readonly shown: string;
};

const PLACES: Readonly<Record<'card' | 'pix' | 'boleto', readonly [string, string]>> = {
  card: ['sold_at', 'transaction_id'],
  pix: ['requested_at', 'pix_id'],
  boleto: ['requested_at', 'boleto_id'],
};

/** After a page the start ($4 rising, $5 falling) becomes the moment of the last row, and $3 its id. */
export function walkTexts({ keys, shown }: Omit<WalkParts, 'name'>) {
  const textOf = (way: '' | ' desc', rangeOf: (time: string, id: string) => string) => {
    const order = `order by sold_at${way}, payment_id${way} limit $2::bigint`;
    const found = keys
      .replaceAll(/\{(card|pix|boleto)\}/g, (_, method: keyof typeof PLACES) => rangeOf(...PLACES[method]))
      .replaceAll('{order}', order);
    return `with page as (select * from (${found}) o ${order}) ${shown} order by g.sold_at${way}, g.payment_id${way}`;
  };
  return {
    up: textOf(
      '',
      (time, id) => `(${time}, ${id}) > ($4::timestamptz, $3::uuid) and ${time} < $5::timestamptz`,
    ),
    down: textOf(
      ' desc',
      (time, id) => `(${time}, ${id}) < ($5::timestamptz, $3::uuid) and ${time} >= $4::timestamptz`,
    ),
  } as const;
}

export type Walk = { readonly rising: Statement; readonly falling: Statement };

/** Called at load only. */
export function walkBothWays({ name, ...parts }: WalkParts): Walk {
  const { up, down } = walkTexts(parts);
  return { rising: statement(`${name}.up`, up), falling: statement(`${name}.down`, down) };
}
