export const App = () => <main>Outdial</main>
