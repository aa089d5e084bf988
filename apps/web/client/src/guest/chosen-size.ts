import { formatSize } from '../format';

/** Shows on the button the number of chosen entries and their total size. */
export function showChosenSize(
  t: (key: string, values: Record<string, unknown>) => string,
  locale: string,
): void {
  const button = document.querySelector<HTMLButtonElement>('button.chosen');
  if (!button) return;
  const boxes = [...document.querySelectorAll<HTMLInputElement>('input[name="files[]"]')];
  const show = (): void => {
    const chosen = boxes.filter(({ checked }) => checked);
    const bytes = chosen.reduce((sum, { dataset }) => sum + Number(dataset.bytes), 0);
    button.disabled = chosen.length === 0;
    button.textContent = t('guest.downloadChosen', { count: chosen.length, size: formatSize(bytes, locale) });
  };
  for (const box of boxes) box.addEventListener('change', show);
  show();
}
