// A list of listeners: the one way in which modules tell each other that something has changed.

/** @returns {{on: (f: Function) => void, emit: (...args: any[]) => void}} */
export function makeSignal() {
    const listeners = [];
    return {
        on(listener) {
            listeners.push(listener);
        },
        emit(...args) {
            for (const listener of listeners) listener(...args);
        },
    };
}
