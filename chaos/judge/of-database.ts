import type { ChaosBench } from '../chaos-bench.ts';
import type { Finding } from './finding.ts';

/**
 * A promise that the database alone shows. `sales` are the transactions of the rounds that are looked at;
 * the query gives the references for which the promise is broken.
 */
type DatabaseInvariant = { readonly name: string; readonly broken: string };

const DATABASE_INVARIANTS: readonly DatabaseInvariant[] = [
  {
    name: 'nothing unknown remains',
    broken: `select reference_transaction, state || ' since ' || created_at as reported
      from sales where decided_at is null or state = 'capturing'`,
  },
  {
    name: 'installments sum to the amount, and only an approval has them',
    broken: `select t.reference_transaction, t.state || ', installments of ' || coalesce(sum(i.amount), 0) as reported
      from sales t left join installments i
        on i.merchant_id = t.merchant_id and i.transaction_id = t.transaction_id
      group by t.merchant_id, t.transaction_id, t.reference_transaction, t.state, t.amount, t.installment_count
      having coalesce(sum(i.amount), 0) <> case when t.state = 'approved' then t.amount else 0 end
        or count(i.amount) <> case when t.state = 'approved' then t.installment_count else 0 end`,
  },
  {
    name: 'what was given back is taken off the installments, the last ones first',
    broken: `select t.reference_transaction, t.canceled_amount || ' given back, of installments ' || sum(i.canceled_amount)
        as reported
      from sales t join installments i
        on i.merchant_id = t.merchant_id and i.transaction_id = t.transaction_id
      group by t.merchant_id, t.transaction_id, t.reference_transaction, t.canceled_amount
      having sum(i.canceled_amount) <> t.canceled_amount
        or bool_or((i.state = 'canceled') <> (i.canceled_amount = i.amount))
        or t.canceled_amount = (select coalesce(sum(c.amount), 0) from cancels c where c.merchant_id = t.merchant_id
          and c.transaction_id = t.transaction_id and c.state = 'canceled') and max(i.installment_number) filter (where i.canceled_amount < i.amount)
          > min(i.installment_number) filter (where i.canceled_amount > 0)`,
  },
  {
    name: 'no movement without its change, and no change without its movement',
    broken: `with reported as (
        select merchant_id, transaction_id, installment_number, count(*) as moves,
          count(*) filter (where m.old_state is null) as firsts,
          count(*) filter (where m.new_state = 'canceled') as ends,
          (array_agg(m.new_state order by m.movement_id desc))[1] as last_state,
          bool_and(m.old_state is not distinct from m.state_before) as is_chain,
          bool_and(m.nsu = t.nsu and m.authorization_code = t.authorization_code) as is_same
        from sales t join (
          select *, lag(new_state) over (partition by merchant_id, transaction_id, installment_number
            order by movement_id) as state_before from movements
          where transaction_id in (select transaction_id from sales)
        ) m using (merchant_id, transaction_id) group by 1, 2, 3
      )
      select t.reference_transaction, 'installment ' || i.installment_number || ', ' || i.state || ', has '
        || coalesce(moves, 0) || ' movements' as reported
      from sales t join installments i using (merchant_id, transaction_id)
      left join reported using (merchant_id, transaction_id, installment_number)
      where coalesce(firsts, 0) <> 1 or coalesce(ends, 0) <> (i.state = 'canceled')::int or not is_chain
        or last_state <> i.state or not is_same`,
  },
  {
    name: 'only a sale that was divided has shares, and then in every installment',
    broken: `select t.reference_transaction, t.state || ', ' || count(s.position) || ' shares' as reported
      from sales t left join shares s using (merchant_id, transaction_id)
      group by t.merchant_id, t.transaction_id, t.reference_transaction, t.state, t.split, t.installment_count
      having count(s.position) <> case when t.state = 'approved' and t.split is not null
        then jsonb_array_length(t.split -> 'entries') * t.installment_count else 0 end`,
  },
  {
    name: 'a key is kept with what its request made, and not without it',
    broken: `select k.resource_id::text as reference_transaction, 'a key names it, and it is not there' as reported
      from idempotency_keys k
      where k.is_done and not exists (select from transactions t where t.merchant_id = k.merchant_id and t.transaction_id = k.resource_id)
        and not exists (select from cancels c where c.merchant_id = k.merchant_id and c.cancel_id = k.resource_id)
        and not exists (select from captures c where c.merchant_id = k.merchant_id and c.capture_id = k.resource_id)
        and not exists (select from preauthorizations p where p.merchant_id = k.merchant_id and p.release_id = k.resource_id)
        and not exists (select from vault_cards v where v.merchant_id = k.merchant_id and v.vault_id = k.resource_id)`,
  },
  {
    // Locks of card sources that have expired are forgotten; nothing as young as this has. A released
    // pre-authorization was an approval.
    name: 'the cardSource of an approval stays in use, and that of a charge that failed is free',
    broken: `select reference_transaction, state || case when c.transaction_id is null then ', free' else ', in use' end
        as reported
      from sales t left join card_source_locks c using (merchant_id, source_hash, transaction_id)
      where t.source_hash is not null and (state = 'approved' or exists (select from preauthorizations p
          where p.merchant_id = t.merchant_id and p.transaction_id = t.transaction_id)) <> (c.transaction_id is not null)
        and t.created_at > now() - interval '5 minutes'`,
  },
];

/** Looks at the sales of the rounds that begin so; an empty text means all there are. */
export async function checkDatabase(bench: ChaosBench, rounds: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, broken } of DATABASE_INVARIANTS) {
    const rows = await bench.query(
      `with sales as materialized (select * from transactions where starts_with(reference_transaction, $1))
       select reference_transaction as reference, reported from (${broken}) as broken`,
      [rounds],
    );
    for (const row of rows)
      findings.push({ invariant: name, reference: row.reference as string, text: row.reported as string });
  }
  return findings;
}
