import { reactive, ref, shallowReactive } from 'vue';

/** A message at the edge of the page, with an undo action if there is one. */
export interface Message {
  readonly text: string;
  readonly isFailure: boolean;
  readonly undo?: () => void;
}

const SHOWN_MS = 10_000;

/** Messages that are shown at the moment. */
export const messages = reactive<Message[]>([]);

/** Modal dialogs that are open, the last one in front. Messages are shown in it, because everything outside is covered and cannot be used. */
export const openDialogs = shallowReactive<HTMLDialogElement[]>([]);

/** Number of changes that have no answer yet. */
export const underWay = ref(0);

export function tell(message: Message): void {
  messages.push(message);
  setTimeout(() => dismiss(message), SHOWN_MS);
}

export function dismiss(message: Message): void {
  const at = messages.findIndex(({ text }) => text === message.text);
  if (at >= 0) messages.splice(at, 1);
}
