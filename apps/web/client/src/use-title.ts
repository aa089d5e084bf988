import { onMounted, onUnmounted } from 'vue';

/** Where the heading of a page is: of a page among others with a common heading, and of a page. */
const HEADINGS = ['main .page-among-others h2', 'main h1'];

/** Keeps the title of the document equal to the headings of the shown page, so that tabs and the history name the page. */
export function useTitle(product: string): void {
  const name = (): void => {
    const headings = HEADINGS.map((place) => document.querySelector(place)?.textContent?.trim());
    const title = [...headings.filter(Boolean), product].join(' - ');
    if (document.title !== title) document.title = title;
  };
  const changes = new MutationObserver(name);
  onMounted(() => {
    name();
    changes.observe(document.querySelector('main')!, { childList: true, characterData: true, subtree: true });
  });
  onUnmounted(() => changes.disconnect());
}
