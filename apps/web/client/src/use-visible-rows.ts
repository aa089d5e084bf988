import { computed, nextTick, onMounted, onUnmounted, ref, watch, type Ref } from 'vue';

/** Lists up to this number of rows are drawn completely, so that the browser's search and printing cover them. */
const DRAWN_WHOLE = 300;
/** Used until a row has been measured. Rows of a long list have one line, so all have the same height. */
const ROW_PX = 48;
/** Number of rows that are drawn above and below the screen. */
const SPARE_ROWS = 20;

/**
 * Rows of a long table that are near the screen; the others are gaps above and below.
 * @param body element around the rows; drawn rows have their number in `data-index`
 */
export function useVisibleRows(count: Ref<number>, body: Ref<HTMLElement | null>) {
  const rowPx = ref(ROW_PX);
  const first = ref(0);
  const last = ref(DRAWN_WHOLE);
  const isLong = computed(() => count.value > DRAWN_WHOLE);

  function place(): void {
    if (!body.value || !isLong.value) return;
    rowPx.value = body.value.querySelector<HTMLElement>('tr[data-index]')?.offsetHeight || rowPx.value;
    const above = -body.value.getBoundingClientRect().top;
    first.value = Math.floor(above / rowPx.value) - SPARE_ROWS;
    last.value = Math.ceil((above + innerHeight) / rowPx.value) + SPARE_ROWS;
  }
  onMounted(() => {
    addEventListener('scroll', place, { passive: true });
    addEventListener('resize', place);
  });
  onUnmounted(() => {
    removeEventListener('scroll', place);
    removeEventListener('resize', place);
  });
  watch([count, body], () => void nextTick(place), { immediate: true });

  const from = computed(() => (isLong.value ? Math.min(Math.max(0, first.value), count.value) : 0));
  const to = computed(() =>
    isLong.value ? Math.min(Math.max(from.value, last.value), count.value) : count.value,
  );
  return {
    /** Whether rows must have one line. */
    isLong,
    indexes: computed(() => Array.from({ length: to.value - from.value }, (_, at) => from.value + at)),
    /** Pixels above and below the drawn rows. */
    gaps: computed(() => ({
      before: from.value * rowPx.value,
      after: (count.value - to.value) * rowPx.value,
    })),
    /** Scrolls to a row. */
    scrollTo: (index: number): void => {
      if (!isLong.value || !body.value) return;
      scrollTo({ top: body.value.getBoundingClientRect().top + scrollY + (index - 3) * rowPx.value });
      place();
    },
  };
}
