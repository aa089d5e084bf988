/**
 * Demand on partners' signatures. `known`: partners whose key is known, or that signed before, have to sign; `required`:
 * all have to sign; `checked`: unsigned messages are accepted, and signatures have to be valid.
 */
export const SIGNATURE_DEMANDS = ['known', 'required', 'checked'] as const;
export type SignatureDemand = (typeof SIGNATURE_DEMANDS)[number];
