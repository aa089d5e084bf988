import type { Share } from './ocs';

/** Proofs that a share can demand of those who open it; of links also an account. */
export type Demand = 'none' | 'account' | 'second-factor';

const SCOPE = 'authentication';

/** The attributes by which a share is made or changed. */
export const attributesOf = (demand: Demand): string =>
  JSON.stringify(demand === 'none' ? [] : [{ scope: SCOPE, key: demand, enabled: true }]);

/** The demand of a share, as its record shows it. */
export function demandOf({ attributes }: Share): Demand {
  const list = JSON.parse(attributes || '[]') as { scope: string; key: string; enabled: unknown }[];
  const keys = list.filter(({ scope, enabled }) => scope === SCOPE && enabled === true).map(({ key }) => key);
  if (keys.includes('second-factor')) return 'second-factor';
  return keys.includes('account') ? 'account' : 'none';
}
