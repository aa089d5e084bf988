import { conditionsToKeep, type Grants } from '#sharing';

/** The shares by which people have a node that they shared on, by their ids; null for an owner without reshares. */
export type HeldByResharers = Readonly<Record<string, Grants | null>> | null;

/** Conditions that links and shares with partners keep if their initiator loses a node. */
export interface KeptConditions {
  readonly uid: string;
  readonly attributes: ReturnType<typeof conditionsToKeep>;
}

export const keptConditions = (held: HeldByResharers): KeptConditions[] =>
  Object.entries(held ?? {})
    .map(([uid, grants]) => ({ uid, attributes: conditionsToKeep(grants ?? []) }))
    .filter(({ attributes }) => attributes.length > 0);
