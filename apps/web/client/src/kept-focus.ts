const CONTROLS =
  'a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select:not(:disabled), textarea:not(:disabled), summary';

/**
 * Moves the focus of people who use the keyboard to the next control when the focused one disappears, such as the menu of a deleted row.
 * Otherwise they would begin at the top of the page again.
 */
export function keepFocus(): void {
  let last: Element | null = null;
  document.addEventListener('focusin', ({ target }) => {
    last = (target as Element).matches(':focus-visible') ? (target as Element) : null;
  });
  const changes = new MutationObserver((records) => {
    if (!last || last.isConnected || document.activeElement !== document.body) return;
    const gone = last;
    const removal = records.find(
      ({ target, removedNodes }) =>
        target.isConnected && [...removedNodes].some((node) => node.contains(gone)),
    );
    if (removal) controlNear(removal).focus({ preventScroll: true });
  });
  changes.observe(document.body, { childList: true, subtree: true });
}

/** The first control after the place of a removed element, or else the last one before it, in the nearest element that has any. */
function controlNear({ target, previousSibling }: MutationRecord): HTMLElement {
  const main = document.querySelector<HTMLElement>('main')!;
  const place = previousSibling ?? target;
  const isAfter = (control: Node): boolean =>
    (place.compareDocumentPosition(control) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0 &&
    !previousSibling?.contains(control);
  for (let within = target as Element; main.contains(within); within = within.parentElement!) {
    const controls = [...within.querySelectorAll<HTMLElement>(CONTROLS)].filter((one) =>
      one.checkVisibility(),
    );
    const control = controls.find(isAfter) ?? controls.at(-1);
    if (control) return control;
  }
  return main;
}
