/**
 * Demand on partners' signatures. `known`: signed, from partners whose key is known or that signed before; `required`:
 * signed, from everybody; `checked`: if signed, then rightly.
 */
export const SIGNATURE_DEMANDS = ['known', 'required', 'checked'] as const;
export type SignatureDemand = (typeof SIGNATURE_DEMANDS)[number];
