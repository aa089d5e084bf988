import { computed, shallowRef, type WritableComputedRef } from 'vue';

/**
 * A field whose value is stored by the server, for `v-model`. It shows a person's choice until the server has answered,
 * and then what is stored: after a failure, that is the value before the choice.
 */
export function useStored<Value extends string | boolean>(
  stored: () => Value,
  save: (chosen: Value) => Promise<unknown>,
): WritableComputedRef<Value> {
  const chosen = shallowRef<Value>();
  return computed({
    get: () => chosen.value ?? stored(),
    set: (value) => {
      chosen.value = value;
      void save(value).finally(() => {
        // A later choice is shown until its own answer.
        if (chosen.value === value) chosen.value = undefined;
      });
    },
  });
}
