import { onMounted, onUnmounted } from 'vue';

/** Keeps the title of the document equal to the heading of the shown page, so that tabs and the history name the page. */
export function useTitle(product: string): void {
  const name = (): void => {
    const heading = document.querySelector('main h1')?.textContent?.trim();
    const title = heading ? `${heading} - ${product}` : product;
    if (document.title !== title) document.title = title;
  };
  const changes = new MutationObserver(name);
  onMounted(() => {
    name();
    changes.observe(document.querySelector('main')!, { childList: true, characterData: true, subtree: true });
  });
  onUnmounted(() => changes.disconnect());
}
