/**
 * Whether the partner in the row `peer` makes a second share of a repeated offer.
 * @param products parameter with the products that do not, from `WITHOUT_COPIES` of #federation/protocol
 */
export const keepsCopiesSql = (peer: string, products: string): string =>
  `coalesce(coalesce(${peer}.pinned_profile, ${peer}.profile) ->> 'product', 'unknown') <> ALL(${products}::text[])`;
