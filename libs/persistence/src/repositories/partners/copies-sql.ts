/**
 * Whether the partner of the row `peer` makes a second share of a repeated offer.
 * @param products place of the parameter with the products that do not, as `WITHOUT_COPIES` of #federation/protocol has them
 */
export const keepsCopiesSql = (peer: string, products: string): string =>
  `coalesce(coalesce(${peer}.pinned_profile, ${peer}.profile) ->> 'product', 'unknown') <> ALL(${products}::text[])`;
