import { ref, shallowReactive } from 'vue';

/** A message at the edge of the page, with an undo action if there is one. */
export interface Message {
  readonly text: string;
  readonly isFailure: boolean;
  readonly undo?: () => void;
}

export interface ShownMessage extends Message {
  /** Tells messages with the same text apart. */
  readonly number: number;
}

const SHOWN_MS = 10_000;
const AT_MOST = 3;
let told = 0;

/** Messages that are shown at the moment, the newest one last. */
export const messages = shallowReactive<ShownMessage[]>([]);

/** Modal dialogs that are open, the last one in front. Messages are shown in it, because everything outside is covered and cannot be used. */
export const openDialogs = shallowReactive<HTMLDialogElement[]>([]);

/** Number of changes that have no answer yet. */
export const underWay = ref(0);

/** Shows a message. One with an action stays until the person closes it or newer ones take its place: slow readers need the action too. */
export function tell(message: Message): void {
  told += 1;
  const shown = { ...message, number: told };
  messages.push(shown);
  messages.splice(0, messages.length - AT_MOST);
  if (!message.undo) setTimeout(() => dismiss(shown), SHOWN_MS);
}

export function dismiss(message: ShownMessage): void {
  const at = messages.indexOf(message);
  if (at >= 0) messages.splice(at, 1);
}
