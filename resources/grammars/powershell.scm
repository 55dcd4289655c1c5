(function_statement (function_name) @name) @definition.function
(class_statement (simple_name) @name) @definition.class
(command command_name: (command_name) @name) @reference.call
